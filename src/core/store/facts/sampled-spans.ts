import type { ColumnShape, Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { PATH_SLICE_NS, type SliceRange } from './call-paths.ts';

/** Spans that are taken for an estimate: of 5 M spans they are read in 0.1 to 0.4 s (`npm run bench -- --only queries`). */
const SPANS_WANTED = 100_000;
/** Traces are taken whole, and a few long ones may hold more than was wanted: past this they are no quick answer. */
const MOST_SPANS = 400_000;
/** A sample with a share of the window's spans so far from its share of the traces has missed the large ones, or caught them. */
const MOST_ASTRAY = 0.2;
/** Where the window holds this share of the case's spans, looking for its traces first only takes time. */
const MOSTLY_ALL = 0.5;

const shape = {
  /** Equal for spans of one trace. */
  trace: 'i32',
  span_id: 'u64',
  parent_id: 'u64',
  start_ns: 'f64',
  end_ns: 'f64',
  slice: 'i32',
  service: 'i32',
  name: 'i32',
  failed: 'u8',
} as const satisfies Record<string, ColumnShape>;

interface ShapeArrays {
  readonly i32: Int32Array;
  readonly u64: BigUint64Array;
  readonly f64: Float64Array;
  readonly u8: Uint8Array;
}
type SpanColumns = { readonly [Name in keyof typeof shape]: ShapeArrays[(typeof shape)[Name]] };

export interface SampledSpans {
  /** Of all traces of the window, by chance of their ids; 1: all of them. */
  readonly share: number;
  /** How many spans all of them have in the ranges, for each that the sample has there. */
  readonly scale: number;
  /** Times and slices are counted from the first slice that was asked for; codes are -1 where there is none, parents 0. */
  readonly columns: SpanColumns;
}

/** Whole traces that have spans in one of the ranges; undefined: even few of them are too many spans, or are not representative. */
export async function readSampledSpans(
  session: Session,
  ranges: readonly [SliceRange, ...SliceRange[]],
  signal?: AbortSignal,
): Promise<SampledSpans | undefined> {
  const within = ranges
    .map(({ first, last }) => `${BEGINS} between ${first * PATH_SLICE_NS} and ${(last + 1n) * PATH_SLICE_NS - 1n}`)
    .join(' or ');
  const [spans] = rowsOf<{ inside: number; whole: number }>(
    await session.query(
      `select count(*) filter (${within})::double as inside, count(*)::double as whole ${SPANS}`,
      [],
      signal,
    ),
  );
  const { inside, whole } = spans ?? { inside: 0, whole: 0 };
  const parts = 2 ** Math.max(0, Math.ceil(Math.log2(inside / SPANS_WANTED)));
  const byChance = `hash(s.trace_hi, s.trace_lo) & ${parts - 1}::ubigint = 0`;
  const ofWindow = `semi join (select s.trace_hi, s.trace_lo ${SPANS} where (${within}) and ${byChance}) t
    on t.trace_hi = s.trace_hi and t.trace_lo = s.trace_lo`;
  const condition = inside > whole * MOSTLY_ALL ? `where ${byChance}` : ofWindow;
  const sql = `select ${columnsFrom(ranges[0].first)} ${SPANS} left join canonical c on c.entity_id = s.service ${condition}`;
  const columns = await collect(session, sql, signal);
  if (!columns) return undefined;
  const sampled = countWithin(columns.slice, ranges);
  if (Math.abs((sampled * parts) / inside - 1) > MOST_ASTRAY) return undefined;
  return { share: 1 / parts, scale: inside === 0 ? 1 : inside / sampled, columns };
}

function countWithin(slice: Int32Array, ranges: readonly [SliceRange, ...SliceRange[]]): number {
  const origin = ranges[0].first;
  const numbers = ranges.map(({ first, last }) => [Number(first - origin), Number(last - origin)] as const);
  let count = 0;
  for (const at of slice) if (numbers.some(([first, last]) => at >= first && at <= last)) count++;
  return count;
}

const SPANS = 'from span s join source src using (source_id)';
const BEGINS = '(s.start_ns + src.clock_offset_ns)';

// A trace is identified by a hash: to number them they would have to be sorted. Two spans of the sample are taken for one trace's
// when 31 bits of it and their 64-bit ids agree.
const columnsFrom = (origin: bigint): string => `(hash(s.trace_hi, s.trace_lo) >> 33)::integer as trace, s.span_id,
  case when s.parent_id = s.span_id then 0 else s.parent_id end as parent_id,
  (${BEGINS} - ${origin * PATH_SLICE_NS})::double as start_ns,
  (s.end_ns + src.clock_offset_ns - ${origin * PATH_SLICE_NS})::double as end_ns,
  greatest(least((${BEGINS} >> 30) - ${origin}, 2147483647), -2147483648)::integer as slice,
  coalesce(c.canonical_id, -1) as service, coalesce(s.name, -1) as name, (s.status = 2)::utinyint as failed`;

async function collect(
  session: Session,
  sql: string,
  signal: AbortSignal | undefined,
): Promise<SpanColumns | undefined> {
  let columns = columnsOf(SPANS_WANTED * 2);
  let count = 0;
  for await (const piece of session.stream(sql, shape)) {
    signal?.throwIfAborted();
    if (count + piece.count > MOST_SPANS) return undefined;
    if (count + piece.count > columns.trace.length) columns = columnsOf(MOST_SPANS, columns);
    for (const name of Object.keys(shape) as (keyof typeof shape)[])
      (columns[name] as Int32Array).set(piece.columns[name] as Int32Array, count);
    count += piece.count;
  }
  return cut(columns, count);
}

const arrays = { i32: Int32Array, u64: BigUint64Array, f64: Float64Array, u8: Uint8Array } as const;

function columnsOf(room: number, before?: SpanColumns): SpanColumns {
  const columns = Object.entries(shape).map(([name, kind]) => {
    const column = new arrays[kind](room);
    if (before) (column as Int32Array).set(before[name as keyof SpanColumns] as Int32Array);
    return [name, column];
  });
  return Object.fromEntries(columns);
}

const cut = (columns: SpanColumns, count: number): SpanColumns =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.subarray(0, count)])) as never;
