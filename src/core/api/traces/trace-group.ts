import { writeAfter } from '../../../base/times-after.ts';
import { type Parsed, spanMarks, type TraceGroupAnswer } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { type ArrangedSpans, arrange } from '../../analysis/trace/arrange.ts';
import { criticalPath } from '../../analysis/trace/critical-path.ts';
import { orderLinks } from '../../analysis/trace/links.ts';
import type { RecordedSpans } from '../../analysis/trace/recorded-spans.ts';
import { SpanIndex, uint32WordsOf } from '../../analysis/trace/span-index.ts';
import { foldTokens, noBands } from './fold-tokens.ts';
import {
  type EventRow,
  type Extent,
  type LogRow,
  readEventRows,
  readLogRows,
  readNames,
  readTraceGroupRows,
  type TraceGroupRows,
  type TraceGroupSessions,
  type TraceRows,
} from './trace-group-rows.ts';

/** One trace and those that are linked with it, arranged as one trace group. */
export async function readTraceGroup(
  sessions: TraceGroupSessions,
  { trace_id, fold_tokens, ...limits }: Parsed<'trace.story'>,
  signal?: AbortSignal,
): Promise<TraceGroupAnswer> {
  const rows = byBeginning(await readTraceGroupRows(sessions, trace_id, limits, signal));
  const origin_ns = rows.traces[0]?.columns.start_ns[0] ?? 0n;
  const { recorded, names, services } = withPlaces(concatenate(rows.traces, origin_ns));
  const ids = rows.traces.map((trace) => trace.trace_id);
  const extent = { from_ns: origin_ns, until_ns: origin_ns + BigInt(Math.round(latest(recorded.end_ns))) };
  // The database reads on while the spans are arranged.
  const eventsAndLogs = Promise.all([
    readEventsAndLogs(sessions.second, ids, extent, signal),
    readNames(sessions.own, names, services),
  ]);
  eventsAndLogs.catch(() => undefined);
  const spans = arrange(recorded);
  const places = new Places(rows.traces, spans);
  const { pairs, unrecorded } = linkedPairs(rows, places);
  const links = orderLinks(spans, pairs);
  const path = criticalPath(spans, links);
  for (let at = 0; at < path.span.length; at++)
    if (path.is_wait[at] === 0) spans.marks[path.span[at]!] = spans.marks[path.span[at]!]! | spanMarks.critical;
  const [{ events, logs }, nameTables] = await eventsAndLogs;
  const whole: TraceGroupAnswer = {
    origin_ns: rows.traces.length === 0 ? null : origin_ns,
    traces: traceParts(rows.traces, spans),
    name: spans.name as Int32Array<ArrayBuffer>,
    names: names.map((code) => nameTables.name.get(code) ?? ''),
    service: spans.service as Int32Array<ArrayBuffer>,
    services: services.map((code) => nameTables.service.get(code) ?? ''),
    depth: spans.depth,
    trace: spans.trace as Int32Array<ArrayBuffer>,
    span_id: new Uint8Array(BigUint64Array.from(spans.id).buffer),
    kind: spans.kind as Uint8Array<ArrayBuffer>,
    status: spans.status as Uint8Array<ArrayBuffer>,
    marks: spans.marks,
    start_ns: spans.start_ns as Float64Array<ArrayBuffer>,
    length_ns: lengths(spans),
    shift_ns: spans.shift_ns,
    self_ns: spans.self_ns,
    path_span: path.span,
    path_from_ns: path.from_ns,
    path_until_ns: path.until_ns,
    path_wait: path.is_wait,
    path_after: path.after,
    link_from: links.from,
    link_to: links.to,
    link_wait_from_ns: links.wait_from_ns,
    link_wait_until_ns: links.wait_until_ns,
    ...eventColumns(events.rows, places, spans, origin_ns),
    ...logColumns(logs.rows, places, spans, origin_ns),
    ...noBands,
    cut: {
      traces: rows.traces_left_out,
      spans: rows.traces.reduce((sum, { left_out }) => sum + left_out, 0),
      links: rows.links_left_out,
      events: events.left_out,
      logs: logs.left_out,
      unrecorded_links: unrecorded,
    },
  };
  return fold_tokens ? foldTokens(whole, spans) : whole;
}

async function readEventsAndLogs(session: Session, ids: readonly string[], extent: Extent, signal?: AbortSignal) {
  const events = await readEventRows(session, ids, extent, signal);
  return { events, logs: await readLogRows(session, ids, extent, signal) };
}

function lengths({ start_ns, end_ns }: ArrangedSpans): Float64Array<ArrayBuffer> {
  const length_ns = new Float64Array(start_ns.length);
  for (let at = 0; at < length_ns.length; at++) length_ns[at] = end_ns[at]! - start_ns[at]!;
  return length_ns;
}

const latest = (end_ns: Float64Array): number => end_ns.reduce((a, b) => Math.max(a, b), 0);

function byBeginning(rows: TraceGroupRows): TraceGroupRows {
  const start = ({ columns }: TraceRows): bigint => columns.start_ns[0]!;
  return {
    ...rows,
    traces: rows.traces.toSorted((a, b) => Number(start(a) - start(b)) || (a.trace_id < b.trace_id ? -1 : 1)),
  };
}

function concatenate(traces: readonly TraceRows[], origin_ns: bigint): RecordedSpans {
  const total = traces.reduce((sum, { count }) => sum + count, 0);
  const made = {
    trace: new Int32Array(total),
    id: new BigUint64Array(total),
    parent_id: new BigUint64Array(total),
    start_ns: new Float64Array(total),
    end_ns: new Float64Array(total),
    service: new Int32Array(total),
    process: new Int32Array(total),
    name: new Int32Array(total),
    kind: new Uint8Array(total),
    status: new Uint8Array(total),
  };
  let at = 0;
  for (const [nth, { count, columns }] of traces.entries()) {
    made.trace.fill(nth, at, at + count);
    made.id.set(columns.span_id, at);
    made.parent_id.set(columns.parent_id, at);
    for (const column of ['service', 'process', 'name', 'kind', 'status'] as const)
      made[column].set(columns[column], at);
    const starts = made.start_ns.subarray(at, at + count);
    writeAfter(columns.start_ns, origin_ns, starts);
    for (let i = 0; i < count; i++) made.end_ns[at + i] = starts[i]! + columns.length_ns[i]!;
    at += count;
  }
  return made;
}

/** Finds spans of a trace group by trace and span id. */
class Places {
  private readonly traces: ReadonlyMap<string, number>;
  private readonly index: SpanIndex;
  private readonly firsts: readonly number[];

  constructor(traces: readonly TraceRows[], { trace, id }: ArrangedSpans) {
    this.traces = new Map(traces.map(({ trace_id }, at) => [trace_id, at]));
    this.index = new SpanIndex(trace, id);
    this.firsts = traces.map((_, nth) => trace.indexOf(nth));
  }

  /** Index in reading order; the trace's first span for id 0; -1: not in the trace group. */
  of(trace_id: string, span_id: bigint): number {
    const nth = this.traces.get(trace_id);
    return nth === undefined ? -1 : this.ofNth(nth, span_id);
  }

  ofNth(nth: number, span_id: bigint): number {
    if (span_id === 0n) return this.firsts[nth] ?? -1;
    return this.index.first(nth, uint32WordsOf(BigUint64Array.of(span_id)), 0);
  }
}

function linkedPairs({ links }: TraceGroupRows, places: Places) {
  const pairs: [number, number][] = [];
  let unrecorded = 0;
  for (const link of links) {
    const bearer = places.of(link.trace_id, link.span_id);
    const named = places.of(link.linked_trace_id, link.linked_span_id);
    if (bearer >= 0 && named >= 0) pairs.push([bearer, named]);
    else unrecorded++;
  }
  return { pairs, unrecorded };
}

function traceParts(
  traces: readonly TraceRows[],
  { trace, start_ns, end_ns }: ArrangedSpans,
): TraceGroupAnswer['traces'] {
  const parts = traces.map(({ trace_id, count, left_out }) => ({
    trace_id,
    spans: count,
    left_out,
    start_ns: Number.POSITIVE_INFINITY,
    end_ns: Number.NEGATIVE_INFINITY,
  }));
  for (let at = 0; at < trace.length; at++) {
    const part = parts[trace[at]!]!;
    part.start_ns = Math.min(part.start_ns, start_ns[at]!);
    part.end_ns = Math.max(part.end_ns, end_ns[at]!);
  }
  return parts;
}

/** Codes of the case become places in short lists of them. */
function withPlaces(recorded: RecordedSpans) {
  const names = compact(recorded.name);
  const services = compact(recorded.service);
  return {
    recorded: { ...recorded, name: names.column, service: services.column },
    names: names.codes,
    services: services.codes,
  };
}

function compact(column: Int32Array) {
  const known = new Map<number, number>();
  const short = new Int32Array(column.length);
  for (let at = 0; at < column.length; at++) {
    const code = column[at]!;
    let place = code < 0 ? -1 : known.get(code);
    if (place === undefined) {
      place = known.size;
      known.set(code, place);
    }
    short[at] = place;
  }
  return { column: short, codes: [...known.keys()] };
}

type Timed = Pick<ArrangedSpans, 'shift_ns'>;
const at = (time_ns: bigint, origin_ns: bigint, { shift_ns }: Timed, span: number): number =>
  Number(time_ns - origin_ns) + (shift_ns[span] ?? 0);

/** Events move with their spans; one whose span is not recorded has no place. */
function eventColumns(rows: readonly (readonly EventRow[])[], places: Places, spans: Timed, origin_ns: bigint) {
  const names = new Map<string, number>();
  const found = rows
    .flatMap((events, nth) =>
      events.map(({ span_id, time_ns, name }) => {
        const span = span_id === 0n ? -1 : places.ofNth(nth, span_id);
        return { span, name, ns: at(time_ns, origin_ns, spans, span) };
      }),
    )
    .filter(({ span }) => span >= 0)
    .sort((a, b) => a.span - b.span || a.ns - b.ns);
  for (const { name } of found) if (!names.has(name)) names.set(name, names.size);
  return {
    event_span: Int32Array.from(found, ({ span }) => span),
    event_ns: Float64Array.from(found, ({ ns }) => ns),
    event_name: Int32Array.from(found, ({ name }) => names.get(name)!),
    event_names: [...names.keys()],
  };
}

/** Logs move with their spans, too; -1: of the trace, but of no span of it. */
function logColumns(rows: readonly LogRow[], places: Places, spans: Timed, origin_ns: bigint) {
  const span = rows.map((row) => (row.span_id === 0n ? -1 : places.of(row.trace_id, row.span_id)));
  return {
    log_span: Int32Array.from(span),
    log_ns: Float64Array.from(rows, (row, nth) => at(row.time_ns, origin_ns, spans, span[nth]!)),
    log_severity: Uint8Array.from(rows, (row) => row.severity),
    log_refs: rows.map(({ ref }) => ref),
    log_bodies: rows.map(({ body }) => body),
  };
}
