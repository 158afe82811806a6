import type { LogLines, Reader } from '../../store/facts/reader.ts';
import { TemplateMiner } from '../software/template-miner.ts';
import { logs } from './parameters.ts';

/**
 * Log records of a case as columns, each with its template number: built once, so that every later query (templates in a
 * window, new ones, differences) is a loop over numbers. About 30 bytes per record.
 */
export interface LogIndex {
  readonly count: number;
  /** Nanoseconds on the case's clock of the origin of `offset_s`. */
  readonly origin_ns: bigint;
  readonly offset_s: Float64Array;
  readonly source: Int32Array;
  readonly row: Float64Array;
  /** -1: none. */
  readonly resource: Int32Array;
  /** OpenTelemetry's severity number, 0 unknown. */
  readonly severity: Uint8Array;
  /** -1: no template, the limit was reached. */
  readonly template: Int32Array;
  /** By number, with `<*>` for variables. */
  readonly texts: readonly string[];
  /** One of this many records was read; all errors were. */
  readonly share: number;
  /** Records in the case. */
  readonly total: number;
}

/** Rows per query, one row group of DuckDB; the thread is released in between. */
const STRETCH = 122_880n;
export const FIRST_ERROR = 17;

/** One record of so many is read: a power of two. */
export const logShare = (records: number): number => 2 ** Math.max(0, Math.ceil(Math.log2(records / logs.mostRecords)));

/** Reads and mines the logs, releasing the thread every few milliseconds. */
export async function readLogIndex(reader: Reader): Promise<LogIndex> {
  const { records, last_row } = await reader.logExtent();
  const range = await reader.recordedRange();
  const origin_ns = range?.from_ns ?? 0n;
  const share = logShare(records);
  async function* blocks(): AsyncGenerator<LogLines> {
    for (let from = 0n; from <= last_row; from += STRETCH)
      yield await reader.logLines({ from, to: from + STRETCH, share, origin_ns });
  }
  return mineLogIndex(blocks(), { origin_ns, share, total: records });
}

/** The index of lines that come block by block, in about the order of their times. */
export async function mineLogIndex(
  blocks: AsyncIterable<LogLines>,
  about: Pick<LogIndex, 'origin_ns' | 'share' | 'total'>,
): Promise<LogIndex> {
  const columns = new GrowingColumns(Math.ceil(about.total / about.share));
  const miner = new TemplateMiner();
  for await (const lines of blocks) {
    const templates = new Int32Array(lines.count + 1);
    for (let i = 0; i < lines.count; i++) {
      const code = lines.code[i]!;
      const body = lines.body[i];
      if (body != null) templates[code] = miner.add(body);
      columns.push(lines, i, templates[code]!);
    }
  }
  const texts = Array.from({ length: miner.count }, (_, id) => miner.textOf(id));
  return { ...columns.finish(), ...about, texts };
}

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

  push(lines: LogLines, i: number, template: number): void {
    if (this.count === this.offset_s.length) this.grow();
    const at = this.count++;
    this.offset_s[at] = lines.offset_s[i]!;
    this.source[at] = lines.source_id[i]!;
    this.row[at] = lines.row_number[i]!;
    this.resource[at] = lines.resource[i]!;
    this.severity[at] = lines.severity[i]!;
    this.template[at] = template;
  }

  /** Errors are all read: if most records are errors, the columns must grow. */
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
