import type { Reader } from '../../store/facts/reader.ts';
import { TemplateMiner } from '../software/template-miner.ts';

/**
 * The records of a case's logs as columns, each with the number of its template: made once, so that every later question
 * (which templates in this window, which are new, what differs) is a walk over numbers. About 30 bytes a record.
 */
export interface LogIndex {
  readonly count: number;
  /** Nanoseconds on the case's clock from which `offset_s` counts. */
  readonly origin_ns: bigint;
  readonly offset_s: Float64Array;
  readonly source: Int32Array;
  readonly row: Float64Array;
  /** -1: none. */
  readonly resource: Int32Array;
  /** OpenTelemetry's severity number, 0 unknown. */
  readonly severity: Uint8Array;
  /** -1: there was no room for one more template. */
  readonly template: Int32Array;
  /** By number, with `<*>` for what varies. */
  readonly texts: readonly string[];
  /** One record of so many was read; errors all. */
  readonly share: number;
  /** Records in the case. */
  readonly total: number;
}

/** Records that are read; of more, every error and a share of the rest. A million take a few seconds. */
const MOST_RECORDS = 1_000_000;
/** Rows that one question reads, a row group of DuckDB's: others have the thread in between. */
const STRETCH = 122_880n;
export const FIRST_ERROR = 17;

/** Reads and mines the logs, the thread being left to others every few milliseconds. */
export async function readLogIndex(reader: Reader): Promise<LogIndex> {
  const { records, last_row } = await reader.logExtent();
  const range = await reader.recordedRange();
  const origin_ns = range?.from_ns ?? 0n;
  const share = 2 ** Math.max(0, Math.ceil(Math.log2(records / MOST_RECORDS)));
  const columns = new GrowingColumns(Math.ceil(records / share));
  const miner = new TemplateMiner();
  for (let from = 0n; from <= last_row; from += STRETCH) {
    const lines = await reader.logLines({ from, to: from + STRETCH, share, origin_ns });
    const templates = new Int32Array(lines.count + 1);
    for (let i = 0; i < lines.count; i++) {
      const code = lines.code[i]!;
      const body = lines.body[i];
      if (body != null) templates[code] = miner.add(body);
      columns.push(lines, i, templates[code]!);
    }
  }
  const texts = Array.from({ length: miner.count }, (_, id) => miner.textOf(id));
  return { ...columns.finish(), origin_ns, texts, share, total: records };
}

type Lines = Awaited<ReturnType<Reader['logLines']>>;

class GrowingColumns {
  private count = 0;
  private offset_s: Float64Array;
  private source: Int32Array;
  private row: Float64Array;
  private resource: Int32Array;
  private severity: Uint8Array;
  private template: Int32Array;

  constructor(expected: number) {
    const room = Math.max(1024, Math.ceil(expected * 1.05));
    this.offset_s = new Float64Array(room);
    this.source = new Int32Array(room);
    this.row = new Float64Array(room);
    this.resource = new Int32Array(room);
    this.severity = new Uint8Array(room);
    this.template = new Int32Array(room);
  }

  push(lines: Lines, i: number, template: number): void {
    if (this.count === this.offset_s.length) this.grow();
    const at = this.count++;
    this.offset_s[at] = lines.offset_s[i]!;
    this.source[at] = lines.source_id[i]!;
    this.row[at] = lines.row_number[i]!;
    this.resource[at] = lines.resource[i]!;
    this.severity[at] = lines.severity[i]!;
    this.template[at] = template;
  }

  /** Errors are all read: where most records are errors there are more than expected. */
  private grow(): void {
    const larger = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    const room = 2 * this.offset_s.length;
    this.offset_s = larger(this.offset_s, new Float64Array(room));
    this.source = larger(this.source, new Int32Array(room));
    this.row = larger(this.row, new Float64Array(room));
    this.resource = larger(this.resource, new Int32Array(room));
    this.severity = larger(this.severity, new Uint8Array(room));
    this.template = larger(this.template, new Int32Array(room));
  }

  finish() {
    const { count } = this;
    return {
      count,
      offset_s: this.offset_s.subarray(0, count),
      source: this.source.subarray(0, count),
      row: this.row.subarray(0, count),
      resource: this.resource.subarray(0, count),
      severity: this.severity.subarray(0, count),
      template: this.template.subarray(0, count),
    };
  }
}
