import { assert } from '../../../base/assert.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';

/** Rows of one trace, ascending by start: raw columns, -1 for unknown. */
export interface TraceRows {
  readonly trace_id: string;
  readonly count: number;
  readonly columns: SpanColumns;
  /** Spans of it beyond these. */
  readonly left_out: number;
}

interface SpanColumns {
  readonly span_id: BigUint64Array;
  readonly parent_id: BigUint64Array;
  /** On the case's clock. */
  readonly start_ns: BigInt64Array;
  readonly length_ns: Float64Array;
  readonly name: Int32Array;
  readonly service: Int32Array;
  readonly process: Int32Array;
  readonly kind: Uint8Array;
  readonly status: Uint8Array;
}

const shape = {
  span_id: 'u64',
  parent_id: 'u64',
  start_ns: 'i64',
  length_ns: 'f64',
  name: 'i32',
  service: 'i32',
  process: 'i32',
  kind: 'u8',
  status: 'u8',
  spans: 'i32',
} as const;

const emptyColumns = (count: number): SpanColumns => ({
  span_id: new BigUint64Array(count),
  parent_id: new BigUint64Array(count),
  start_ns: new BigInt64Array(count),
  length_ns: new Float64Array(count),
  name: new Int32Array(count),
  service: new Int32Array(count),
  process: new Int32Array(count),
  kind: new Uint8Array(count),
  status: new Uint8Array(count),
});

export interface LinkRow {
  readonly trace_id: string;
  readonly span_id: bigint;
  readonly linked_trace_id: string;
  /** 0: the trace as a whole. */
  readonly linked_span_id: bigint;
}

export interface TraceGroupRows {
  readonly traces: readonly TraceRows[];
  readonly links: readonly LinkRow[];
  /** Linked traces of the case beyond the limits. */
  readonly traces_left_out: number;
  readonly links_left_out: boolean;
}

export interface Limits {
  readonly follow_links: boolean;
  readonly most_spans: number;
  readonly most_traces: number;
}

/** A batch consumer span may have thousands of links; more than this add nothing to a trace group. */
const MOST_LINKS = 20_000;
/** Traces looked up only to count the omitted ones. */
const MOST_COUNTED = 200;

/** A trace group is read over two sessions: queries independent of the spans run in `beside`. */
export interface TraceGroupSessions {
  readonly own: Session;
  readonly second: Session;
}

/** One trace and those that are linked with it, step by step in both directions, until there are no more or too many. */
export async function readTraceGroupRows(
  { own, second }: TraceGroupSessions,
  trace_id: string,
  limits: Limits,
  signal?: AbortSignal,
): Promise<TraceGroupRows> {
  const traces: TraceRows[] = [];
  const links: LinkRow[] = [];
  const seen = new Set([padded(trace_id)]);
  let frontier = [...seen];
  let room = limits.most_spans;
  let traces_left_out = 0;
  let links_left_out = false;
  while (frontier.length > 0) {
    const found = new Set<string>();
    const nextTraces = limits.follow_links ? frontier.slice(0, limits.most_traces - traces.length) : [];
    const linked = readLinks(second, nextTraces, signal);
    linked.catch(() => undefined);
    for (const id of frontier) {
      // One more than the limit, to know whether any are omitted.
      const isFull = traces.length >= limits.most_traces || room === 0;
      const rows = await readTraceRows(own, id, isFull ? 1 : room, signal);
      if (rows.count === 0) continue;
      if (isFull) {
        traces_left_out++;
        continue;
      }
      traces.push(rows);
      room -= rows.count;
      found.add(id);
    }
    const answer = await linked;
    links_left_out ||= answer.length === MOST_LINKS;
    // Links to traces outside the case or beyond the limits are not followed.
    const next = answer.filter((link) => found.has(link.trace_id) || found.has(link.linked_trace_id));
    links.push(...next);
    frontier = [...new Set(next.flatMap((link) => [link.trace_id, link.linked_trace_id]))].filter(
      (id) => !seen.has(id),
    );
    for (const id of frontier) seen.add(id);
    // Traces beyond the limits are counted, up to a bound.
    frontier = frontier.slice(0, limits.most_traces + MOST_COUNTED);
  }
  return { traces, links, traces_left_out, links_left_out };
}

async function readLinks(
  session: Session,
  trace_ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly LinkRow[]> {
  if (trace_ids.length === 0) return [];
  return rowsOf<LinkRow>(
    await session.query(queries.traceGroupLinks, [listText(trace_ids), BigInt(MOST_LINKS)], signal),
  );
}

export const padded = (trace_id: string): string => trace_id.toLowerCase().padStart(32, '0');

/** As raw columns: as values a trace of 100 000 spans took three times as long. */
async function readTraceRows(
  session: Session,
  trace_id: string,
  most: number,
  signal: AbortSignal | undefined,
): Promise<TraceRows> {
  assert(/^[0-9a-f]{32}$/.test(trace_id), 'a trace id is written into a statement');
  const sql = queries.traceGroupSpans.replaceAll('$1', `'${trace_id}'`).replaceAll('$2', String(most));
  let columns = emptyColumns(0);
  let spanCount = 0;
  let count = 0;
  for await (const piece of session.stream(sql, shape)) {
    signal?.throwIfAborted();
    if (count === 0) {
      spanCount = (piece.columns['spans'] as Int32Array)[0]!;
      columns = emptyColumns(Math.min(spanCount, most));
    }
    for (const name of Object.keys(columns) as (keyof SpanColumns)[])
      (columns[name] as Int32Array).set(piece.columns[name] as Int32Array, count);
    count += piece.count;
  }
  assert(count === columns.span_id.length, 'a trace was read to its end');
  return { trace_id, count, columns, left_out: spanCount - count };
}

export interface EventRow {
  readonly span_id: bigint;
  readonly time_ns: bigint;
  readonly name: string;
}

export interface LogRow {
  readonly trace_id: string;
  readonly span_id: bigint;
  readonly time_ns: bigint;
  readonly severity: number;
  readonly ref: string;
  /** Its beginning. */
  readonly body: string;
}

/** Time of a trace group, on the case's clock. */
export interface Extent {
  readonly from_ns: bigint;
  readonly until_ns: bigint;
}

const MOST_EVENTS = 50_000;
const MOST_LOGS = 2_000;
/** Events may be written, and logs come, a little before or after their spans. */
const AROUND_NS = 60_000_000_000n;

/** Events by trace, in the order of `trace_ids`. */
export async function readEventRows(
  session: Session,
  trace_ids: readonly string[],
  { from_ns, until_ns }: Extent,
  signal?: AbortSignal,
): Promise<{ readonly rows: readonly (readonly EventRow[])[]; readonly left_out: boolean }> {
  const rows: EventRow[][] = [];
  let room = MOST_EVENTS;
  for (const id of trace_ids) {
    const values = [from_ns - AROUND_NS, until_ns + AROUND_NS, BigInt(room), id];
    const found = rowsOf<EventRow>(await session.query(queries.traceGroupEvents, values, signal));
    rows.push(found);
    room -= found.length;
  }
  return { rows, left_out: room === 0 };
}

export async function readLogRows(
  session: Session,
  trace_ids: readonly string[],
  { from_ns, until_ns }: Extent,
  signal?: AbortSignal,
): Promise<{ readonly rows: readonly LogRow[]; readonly left_out: boolean }> {
  const values = [from_ns - AROUND_NS, until_ns + AROUND_NS, BigInt(MOST_LOGS), listText(trace_ids)];
  const rows = rowsOf<LogRow>(await session.query(queries.traceGroupLogs, values, signal));
  return { rows, left_out: rows.length === MOST_LOGS };
}

export type NameTables = Readonly<Record<'name' | 'service', ReadonlyMap<number, string>>>;

/** Texts of name and service codes. */
export async function readNames(
  session: Session,
  names: readonly number[],
  services: readonly number[],
): Promise<NameTables> {
  const rows = rowsOf<{ kind: keyof NameTables; code: number; word: string }>(
    await session.query(queries.traceGroupNames, [listText(names), listText(services)]),
  );
  const namesOf = (kind: keyof NameTables) =>
    new Map(rows.filter((row) => row.kind === kind).map(({ code, word }) => [code, word]));
  return { name: namesOf('name'), service: namesOf('service') };
}
