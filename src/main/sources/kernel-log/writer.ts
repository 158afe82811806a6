import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { type KernelEvent, readIdentity, readMessage, type Subject } from './meaning.ts';

/** A line with its time known. */
export interface TimedLine {
  readonly time_ns: bigint;
  readonly host: string;
  readonly program: string;
  /** syslog level; -1 when not said. */
  readonly level: number;
  readonly message: string;
  readonly raw: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** OpenTelemetry severity numbers for syslog levels 0 to 7 (logs data model, appendix B). */
const severityNumbers = [21, 19, 18, 17, 13, 10, 9, 5];
const severityNames = ['EMERGENCY', 'ALERT', 'CRITICAL', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG'];
/** Lines of one SXid or Xid come in bursts: what repeats within this time is the same occurrence told further. */
const SAME_NS = 1_000_000_000n;

/** Every line as a log record, and the few that tell of hardware as events on what they are about. */
export class LineWriter {
  private readonly builder: BatchBuilder;
  /** host and PCI address -> UUID, as the log itself introduced them. */
  private readonly uuids = new Map<string, string>();
  private readonly lately = new Map<string, bigint>();

  constructor(builder: BatchBuilder) {
    this.builder = builder;
  }

  append(line: TimedLine): void {
    const { builder } = this;
    const host = builder.entity('server', line.host, [{ kind: 'host_name', name: line.host }]);
    const resource = builder.resource({
      entity: host,
      attributes: JSON.stringify({ 'host.name': line.host }),
      schema_url: '',
    });
    builder.table('log').push({
      time_ns: line.time_ns,
      observed_ns: 0n,
      severity: severityNumbers[line.level] ?? 0,
      severity_text: builder.name(severityNames[line.level] ?? ''),
      event_name: -1,
      resource,
      scope: builder.name(line.program || 'kernel'),
      trace_hi: 0n,
      trace_lo: 0n,
      span_id: 0n,
      flags: 0,
      body: line.message,
      attributes: attributesText(line.attributes ?? {}),
      dropped: 0,
    });
    const identity = readIdentity(line.message);
    if (identity) this.learn(line.host, host, identity);
    const event = line.program === '' || line.program === 'kernel' ? readMessage(line.message) : undefined;
    if (event && !this.isRepeat(event, line)) this.appendEvent(line, host, event);
  }

  private learn(host: string, server: number, { pci, uuid }: { readonly pci: string; readonly uuid: string }): void {
    this.uuids.set(`${host} ${pci}`, uuid);
    const gpu = identifyGpu({ uuid, host, pci });
    if (!gpu) return;
    const to = this.builder.entity('gpu', gpu.id, gpu.aliases);
    appendEdge(this.builder, { from: server, kind: 'contains', to, provenance: 'kernel log' });
  }

  private isRepeat(event: KernelEvent, { host, time_ns }: TimedLine): boolean {
    const code = event.attributes.sxid;
    if (code === undefined) return false;
    const key = `${host} ${JSON.stringify(event.subject)} ${code}`;
    const before = this.lately.get(key);
    if (this.lately.size > 10_000) this.lately.clear();
    this.lately.set(key, time_ns);
    return before !== undefined && time_ns - before <= SAME_NS && time_ns >= before;
  }

  private appendEvent(line: TimedLine, server: number, event: KernelEvent): void {
    appendEvent(this.builder, {
      entity: this.entityOf(line.host, server, event.subject),
      time_ns: line.time_ns,
      type: event.type,
      severity: event.severity,
      message: event.message,
      origin: 'kernel',
      attributes: event.attributes,
      raw: line.raw,
    });
  }

  private entityOf(host: string, server: number, subject: Subject): number {
    const { builder } = this;
    const inside = (to: number): number => {
      appendEdge(builder, { from: server, kind: 'contains', to, provenance: 'kernel log' });
      return to;
    };
    switch (subject.kind) {
      case 'gpu': {
        const gpu = identifyGpu({ host, pci: subject.pci, uuid: this.uuids.get(`${host} ${subject.pci}`) });
        return gpu ? inside(builder.entity('gpu', gpu.id, gpu.aliases)) : server;
      }
      case 'nvswitch':
        return inside(builder.entity('switch', `${host}/nvswitch-${subject.pci}`));
      case 'device':
        return subject.pci === '' ? server : inside(builder.entity('device', `${host}/pci-${subject.pci}`));
      case 'nic':
        return inside(builder.entity('nic', `${host}/${subject.name}`));
      case 'cpu':
        return inside(builder.entity('cpu', `${host}/cpu${subject.index}`));
      case 'server':
        return server;
    }
  }
}
