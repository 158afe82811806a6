import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { readFacilityWords } from '../facility-words/read-facility-words.ts';
import { readIdentity } from './kernel.ts';
import { readLogText } from './read-log-text.ts';
import type { LogEvent, Subject, Writer } from './rule.ts';
import { FailureReport, reportNeedles } from './torchrun.ts';

/** A log record, as far as an event needs it. */
export interface LogText {
  readonly time_ns: bigint;
  readonly text: string;
  /** The record as it was found. */
  readonly raw: string;
  /** Name and number of the machine whose log it is; '' and -1: unknown. */
  readonly host: string;
  readonly machine: number;
  /** What wrote it; -1: unknown. */
  readonly sender: number;
  /** UUID of the GPU that the record names; '': none. */
  readonly gpu_uuid: string;
  readonly writer: Writer;
  /** `kernel`, `otlp`: who reported it, of a record that the kernel did not write. */
  readonly origin: string;
  /** Number of a rank of the job whose log it is, with the machine that the record names for it ('': none); undefined: not known here. */
  readonly rankOf?: (rank: number, host: string) => number;
}

/** Behind the first line of an SXid others give its data, within this time. */
const SXID_DATA = /^(?:Severity \d|Data \{)/;
const SAME_NS = 1_000_000_000n;
const MOST_RECENT = 10_000;
/** Nodes of lists in one log: a line of 40 characters may name a thousand. */
const MOST_LISTED = 200_000;

/** Words in names of machines that are no machines: `rack-01-PDU-A`, `ups-b`, `cdu-row1`, `crah03`. */
const FACILITY = /(?:^|[-_.\d])(?:(r?pdu|epdu|ats|sts)|(ups)|(crac|crah|cdu|xdu|chiller))(?=[-_.\d]|$)/i;

/** Power and cooling devices write sentences into syslog; of other senders the same words mean software ("circuit breaker open"). */
function ofFacility({ host, text }: LogText): LogEvent | undefined {
  const name = FACILITY.exec(host.slice(0, 200));
  if (!name) return undefined;
  const kind: EntityKind = name[1] ? 'pdu' : name[2] ? 'ups' : 'cooling';
  const found = readFacilityWords(text, kind);
  const subject = { kind: 'facility', of: kind } as const;
  return found && { type: found.type, severity: found.severity, subject, message: text.trim(), attributes: {} };
}

/** Adds the events that texts of log records state, and the entities that they are about. */
export class LogEvents {
  private readonly builder: BatchBuilder;
  /** host and PCI address -> UUID, from the log itself. */
  private readonly uuids = new Map<string, string>();
  private readonly recent = new Map<string, bigint>();
  /** By sender: a report may be a record of each line. */
  private readonly reports = new Map<number, FailureReport>();
  private listed = 0;

  constructor(builder: BatchBuilder) {
    this.builder = builder;
  }

  append(record: LogText): void {
    const identity = record.writer === 'program' ? undefined : readIdentity(record.text);
    if (identity) this.learn(record, identity);
    if (record.writer !== 'kernel' && reportNeedles.some((needle) => record.text.includes(needle)))
      this.readReport(record);
    const event = readLogText(record.text, record.writer) ?? ofFacility(record);
    if (!event || this.goesOn(event, record)) return;
    for (const entity of this.entitiesOf(record, event.subject)) this.appendOne(entity, event, record);
  }

  private readReport(record: LogText): void {
    const report = this.reports.get(record.sender) ?? new FailureReport();
    if (this.reports.size > MOST_RECENT) this.reports.clear();
    this.reports.set(record.sender, report);
    for (const { time_ns, rank, host, event } of report.read(record.text, record.time_ns)) {
      const entity = record.rankOf?.(rank, host) ?? this.entityOf(record, { kind: 'sender' });
      this.appendOne(entity, { ...event, subject: { kind: 'sender' } }, { ...record, time_ns });
    }
  }

  private entitiesOf(record: LogText, subject: Subject): readonly number[] {
    if (subject.kind !== 'nodes') return [this.entityOf(record, subject)];
    this.listed += subject.names.length;
    if (this.listed <= MOST_LISTED) return subject.names.map((name) => this.builder.entity('node', name));
    this.builder.remark(`lists of nodes name more than ${MOST_LISTED} in all: later ones give no events`);
    return [];
  }

  private appendOne(entity: number, event: LogEvent, record: LogText): void {
    appendEvent(this.builder, {
      entity,
      time_ns: record.time_ns,
      type: event.type,
      severity: event.severity,
      message: event.message,
      origin: record.writer === 'kernel' ? 'kernel' : record.origin,
      attributes: event.attributes,
      ...(event.details === undefined ? {} : { details: event.details }),
      raw: record.raw,
    });
  }

  private learn({ host, machine }: LogText, { pci, uuid }: { readonly pci: string; readonly uuid: string }): void {
    this.uuids.set(`${host} ${pci}`, uuid);
    const gpu = identifyGpu({ uuid, host, pci });
    if (gpu) this.inside(machine, this.builder.entity('gpu', gpu.id, gpu.aliases));
  }

  /** Whether a line only gives the data of an SXid before it. */
  private goesOn(event: LogEvent, { host, time_ns }: LogText): boolean {
    const { sxid: code, detail } = event.attributes;
    if (code === undefined) return false;
    const key = `${host} ${JSON.stringify(event.subject)} ${code}`;
    const before = this.recent.get(key);
    if (this.recent.size > MOST_RECENT) this.recent.clear();
    this.recent.set(key, time_ns);
    const follows = before !== undefined && time_ns - before <= SAME_NS && time_ns >= before;
    return follows && SXID_DATA.test(String(detail));
  }

  private inside(machine: number, part: number): number {
    if (machine >= 0) appendEdge(this.builder, { from: machine, kind: 'contains', to: part, provenance: 'kernel log' });
    return part;
  }

  /** Parts are named within their machine: where it is unknown, the event is about the sender. */
  private entityOf(record: LogText, subject: Exclude<Subject, { readonly kind: 'nodes' }>): number {
    const { host, machine, sender } = record;
    if (subject.kind === 'sender') return sender >= 0 ? sender : machine;
    if (subject.kind === 'gpu') return this.gpuOf(record, subject.pci);
    const whole = machine >= 0 ? machine : sender;
    if (subject.kind === 'storage') return this.storageOf(whole, subject.name);
    if (subject.kind === 'job') return this.jobOf(record, subject);
    if (subject.kind === 'machine' || host === '') return whole;
    const { builder } = this;
    switch (subject.kind) {
      case 'facility':
        return builder.entity(subject.of, host, [{ kind: 'host_name', name: host }]);
      case 'nvswitch':
        return this.inside(machine, builder.entity('switch', `${host}/nvswitch-${subject.pci}`));
      case 'device':
        return subject.pci === ''
          ? whole
          : this.inside(machine, builder.entity('device', `${host}/pci-${subject.pci}`));
      case 'port':
        return this.inside(machine, builder.entity('port', `${host}/${subject.name}`));
      case 'nic':
        return this.inside(machine, builder.entity('nic', `${host}/${subject.name}`));
      case 'cpu':
        return this.inside(machine, builder.entity('cpu', `${host}/cpu${subject.index}`));
    }
  }

  /** What writes the output of a job is a part of it. */
  private jobOf({ sender, machine }: LogText, { id, isSender }: Extract<Subject, { kind: 'job' }>): number {
    const job = this.builder.entity('job', id);
    if (isSender && sender >= 0 && sender !== machine)
      appendEdge(this.builder, { from: sender, kind: 'member_of', to: job, provenance: 'output of the job' });
    return job;
  }

  /** The client states that it depends on the server. */
  private storageOf(client: number, name: string): number {
    const server = this.builder.entity('server', name);
    if (client >= 0 && client !== server)
      appendEdge(this.builder, { from: server, kind: 'connects', to: client, provenance: 'storage client' });
    return server;
  }

  /** Every machine has a GPU at such an address: without a machine or a UUID it names none. */
  private gpuOf({ host, machine, sender, gpu_uuid }: LogText, pci: string): number {
    const uuid = gpu_uuid || this.uuids.get(`${host} ${pci}`);
    const gpu = host === '' && uuid === undefined ? undefined : identifyGpu({ host, pci, uuid });
    if (!gpu) return machine >= 0 ? machine : sender;
    return this.inside(machine, this.builder.entity('gpu', gpu.id, gpu.aliases));
  }
}
