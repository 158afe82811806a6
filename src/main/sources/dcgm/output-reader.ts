import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample } from '../../../model/rows/records.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, type Nanos } from '../../../model/time.ts';
import { rawText } from '../bytes/json-access.ts';
import type { Line } from '../bytes/lines.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { measured } from '../nvidia/measured.ts';
import { diagnosticFindings, type Finding } from './diagnostic-findings.ts';
import { DmonTable, dmonNumber } from './dmon-table.ts';
import { DMON_HEADER, diagnosticOf, healthOf, isObject, type Json, objectsOf, textOf } from './format.ts';
import { healthFindings } from './health-findings.ts';
import { Machine } from './machine.ts';
import { stamped } from './stamp.ts';

/** A diagnostic of eight GPUs is some 100 KB. */
const MAX_DOCUMENT = 64 * 1024 * 1024;
const UNITS = /^ID(\s|$)/;

interface Pending {
  readonly line: Line;
  readonly write: (time_ns: Nanos) => void;
}

/** Reads tables and JSON documents out of a file that may hold several of either, among other text. */
export class OutputReader {
  private readonly builder: BatchBuilder;
  private readonly input: SourceInput;
  private readonly machine: Machine;
  private table: DmonTable | undefined;
  private document:
    | { readonly line: Line; readonly time_ns: Nanos | undefined; readonly text: string[]; length: number }
    | undefined;
  /** The first line of a file in which nothing of dcgmi has come so far. */
  private strange: Line | undefined | null;
  /** A line that is a time alone holds for what follows. */
  private clock: Nanos | undefined;
  /** What has no time, by its subject: only the latest can have been printed at the file's time. */
  private readonly pending = new Map<string, Pending>();

  constructor(builder: BatchBuilder, input: SourceInput) {
    this.builder = builder;
    this.input = input;
    const { device } = input.assume;
    const stem = (input.name.split('/').at(-1) ?? '').replace(/(.)\.[^.]*$/, '$1');
    if (device === null) builder.remark(`nothing in it names the machine: taken as "${stem}" (the file's name)`);
    this.machine = new Machine(builder, device ?? stem);
  }

  line(line: Line): void {
    if (this.strange === undefined) this.strange = line;
    if (this.document) return this.documentLine(line, undefined);
    const stamp = stamped(line.text, this.input.assume.zone ?? 'UTC');
    if (stamp && !stamp.zoned && this.input.assume.zone === null)
      this.builder.remark('times have no zone: read as UTC');
    const text = (stamp?.rest ?? line.text).trimEnd();
    if (text === '' && stamp) this.clock = stamp.time_ns;
    else if (/^\s*\{/.test(text)) this.documentLine({ ...line, text }, stamp?.time_ns ?? this.clock);
    else if (DMON_HEADER.test(text)) this.begin(new DmonTable(text));
    else if (this.table && UNITS.test(text)) this.table.takeUnits(text);
    else if (this.table && text !== '') this.row(this.table, line, text, stamp?.time_ns ?? this.clock);
    // Other text surrounds documents: "Successfully ran diagnostic for group."
  }

  end(): void {
    if (this.document) this.reject(this.document.line, 'the file ends inside a JSON document');
    if (this.strange) this.reject(this.strange, 'nothing that dcgmi prints');
    const file = this.input.files[0];
    for (const { line, write } of this.pending.values()) {
      if (!file) this.reject(line, 'no time, and when the file was recorded is unknown');
      else {
        const { captured_ns, captured_from } = file;
        this.builder.remark(`no times in the file: taken as recorded at ${formatUtc(captured_ns)} (${captured_from})`);
        write(captured_ns);
      }
    }
    this.pending.clear();
  }

  private begin(table: DmonTable): void {
    this.strange = null;
    this.table = table;
  }

  private reject({ at, text }: Line, reason: string): void {
    this.builder.reject(this.input.name, at, reason, text.slice(0, 500));
  }

  private when(subject: string, time_ns: Nanos | undefined, pending: Pending): void {
    if (time_ns !== undefined) return pending.write(time_ns);
    const earlier = this.pending.get(subject);
    if (earlier) this.reject(earlier.line, 'without a time, and not the last of its kind in the file');
    this.pending.set(subject, pending);
  }

  private row(table: DmonTable, line: Line, text: string, time_ns: Nanos | undefined): void {
    const row = table.row(text);
    if (!row) {
      if (!/^(dmon was stopped|\s*Error)/i.test(text)) this.reject(line, 'neither a row nor a header of dcgmi dmon');
      return;
    }
    const write = (at: Nanos) => {
      const entity = this.machine.part(row.group, row.number);
      for (const { at: column, reading } of table.readings()) {
        const value = dmonNumber(row.cells[column] ?? '');
        if (value === undefined) continue;
        const attributes = reading.attributes ?? {};
        appendSample(this.builder, { entity, time_ns: at, attributes, ...measured(reading, value, reading.unit) });
      }
    };
    this.when(`${row.group} ${row.number}`, time_ns, { line, write });
  }

  /** dcgmi closes a document with a brace of its own line, or writes it all in one. */
  private documentLine(line: Line, time_ns: Nanos | undefined): void {
    this.strange = null;
    this.document ??= { line, time_ns, text: [], length: 0 };
    const { document } = this;
    document.text.push(line.text);
    document.length += line.text.length;
    if (document.length > MAX_DOCUMENT) {
      this.reject(document.line, 'a JSON document is larger than dcgmi writes');
      this.document = undefined;
      return;
    }
    const alone = document.text.length === 1 && /\}\s*$/.test(line.text);
    if (!alone && !/^\}\s*$/.test(line.text)) return;
    const parsed = jsonOf(document.text.join('\n'));
    if (parsed === undefined && alone) return;
    this.document = undefined;
    const findings = parsed && this.findings(parsed);
    if (!parsed || !findings) return this.reject(document.line, parsed ? 'JSON that is not of dcgmi' : 'broken JSON');
    const write = (at: Nanos) => {
      for (const finding of findings) this.finding(finding, at, serialNumbers(parsed));
    };
    this.when(diagnosticOf(parsed) ? 'diag' : 'health', document.time_ns, { line: document.line, write });
  }

  private findings(document: Json): Finding[] | undefined {
    const diagnostic = diagnosticOf(document);
    if (diagnostic) {
      const { findings, skipped } = diagnosticFindings(diagnostic, document);
      if (skipped > 0) this.builder.remark('tests that were skipped or not run are no evidence of health');
      return findings;
    }
    const health = healthOf(document);
    return health && healthFindings(health);
  }

  private finding(finding: Finding, time_ns: Nanos, serials: ReadonlyMap<string, string>): void {
    const { part, type, severity, message, attributes, raw } = finding;
    const serial = part && serials.get(`${part.group} ${part.number}`);
    const entity = part ? this.machine.part(part.group, part.number, { serial }) : this.machine.server;
    appendEvent(this.builder, {
      entity,
      time_ns,
      type,
      severity,
      message,
      origin: 'dcgm',
      attributes,
      raw: rawText(raw),
    });
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** DCGM 4 lists what it tested: `entity_groups[].entities[].serial_num`. */
function serialNumbers(document: Json): Map<string, string> {
  const serials = new Map<string, string>();
  for (const group of objectsOf(document['entity_groups'])) {
    for (const entity of objectsOf(group['entities'])) {
      const serial = textOf(entity['serial_num']);
      if (serial !== '') serials.set(`${textOf(group['entity_group'])} ${textOf(entity['entity_id'])}`, serial);
    }
  }
  return serials;
}
