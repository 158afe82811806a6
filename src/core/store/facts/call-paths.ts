import type { Session } from '../../../model/storage/engine.ts';
import { one, rowsOf } from '../case-file/case-file.ts';

/**
 * Position of each span in its trace as a call path: (service, name) of the root, of its child, and so on. Spans are
 * summed by path and by slices of 2^30 ns (1.07 s, of their beginning, on the case's clock), so that the flame graph of any
 * window is a sum of few rows and never a walk over traces. Made when it is first asked for, not at import: tables call_path
 * and path_slice, and what they were made from in meta. Figures in bench/queries.ts.
 */
export const PATH_SLICE_NS = 2n ** 30n;

/** Spans of whole traces that are walked at once; bounds the memory that it takes. */
const SPANS_AT_ONCE = 2_000_000;
/** New paths that one depth may have: beyond this the child spans of a path are merged as "other", with their descendants. */
const MOST_PATHS = 5000;
/** What lies deeper is left out. */
const DEEPEST = 100;

/** Code of (service, name) where a path stands for all rarer ones. */
export const OTHER = -2;

/** The key in meta with the inputs of the call paths of this case. */
export const MADE_FROM = 'call_paths_of';

/** What the tables would be made from now: sources, their clocks and rows, and merged entities. */
async function edition(session: Session): Promise<string> {
  const found = await one<{ of: string | null; merged: string | null }>(
    session,
    `select string_agg(source_id || ' ' || clock_offset_ns || ' ' || rows, ', ' order by source_id) as of,
       (select sum(hash(entity_id, canonical_id))::varchar from canonical where entity_id <> canonical_id) as merged
     from source`,
  );
  return `1: ${found?.of ?? ''}; ${found?.merged ?? ''}`;
}

export async function hasCallPaths(session: Session): Promise<boolean> {
  const made = await one<{ value: string }>(session, 'select value from meta where key = $1', [MADE_FROM]);
  return made !== undefined && made.value === (await edition(session));
}

export interface Walked {
  /** Spans whose path is known, of all. */
  readonly done: number;
  readonly total: number;
}

/**
 * Walks over all traces and makes the tables anew. What takes long is done beside the case, in tables of the session, which
 * must be closed afterwards; cancelled or killed, the case is as it was.
 * @throws the signal's reason, or ProblemError case.read_only
 */
export async function* writeCallPaths(session: Session, signal?: AbortSignal): AsyncGenerator<Walked, void, void> {
  // A read-only case fails before the walk, not after it.
  await session.execute("begin transaction; update meta set value = value where key = 'name'; rollback");
  const made = await edition(session);
  const counted = await one<{ spans: number }>(
    session,
    'select coalesce(sum(spans), 0)::double as spans from span_count',
  );
  const total = counted?.spans ?? 0;
  const parts = 2 ** Math.max(0, Math.ceil(Math.log2(total / SPANS_AT_ONCE)));
  yield { done: 0, total };
  await session.execute(`${tables('create temp table', 'made_path', 'made_slice')}`);
  let done = 0;
  for (let part = 0; part < parts; part++) {
    await session.query(partOf(parts, part), [], signal);
    await session.query(KIN, [], signal);
    await session.query(OWN, [], signal);
    for await (const spans of walkPart(session, signal)) {
      done += spans;
      yield { done: Math.min(done, total), total };
    }
    await session.query(SUMS, [], signal);
    await session.execute('drop table part; drop table kin; drop table own; drop table placed');
  }
  signal?.throwIfAborted();
  await publish(session, made);
}

async function publish(session: Session, made: string): Promise<void> {
  await session.execute(`begin transaction; drop table if exists call_path; drop table if exists path_slice;
    ${pathTables}
    insert into call_path select * from made_path;`);
  try {
    await session.query('insert into path_slice select * from made_slice order by slice');
    await session.query('insert or replace into meta values ($1, $2)', [MADE_FROM, made]);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

const tables = (create: string, paths: string, slices: string): string => `
${create} ${paths} (path integer not null, parent integer not null, depth integer not null, service integer not null, name integer not null);
${create} ${slices} (slice bigint not null, path integer not null, spans uinteger not null, errors uinteger not null, total_ns bigint not null, self_ns bigint not null);
`;

/** Created on demand, and not in bundles. */
export const pathTables = tables('create table', 'call_path', 'path_slice');

/** Traces are taken whole, by their ids. `parts`: a power of two. No values are bound: not every engine takes them here. */
const partOf = (parts: number, part: number): string => `
create temp table part as
select s.trace_hi, s.trace_lo, s.span_id, case when s.parent_id = s.span_id then 0 else s.parent_id end as parent_id,
  s.start_ns + src.clock_offset_ns as start_ns, s.end_ns + src.clock_offset_ns as end_ns,
  coalesce(c.canonical_id, -1) as service, coalesce(s.name, -1) as name, s.status = 2 as failed
from span s
join source src using (source_id)
left join canonical c on c.entity_id = s.service
where xor(s.trace_hi, s.trace_lo) & ${parts - 1}::ubigint = ${part}::ubigint`;

// From here on spans are known by their row. Client and server of a call may share one id: its children have one parent.
const KIN = `
create temp table kin as
select c.rowid as span, p.span as parent, greatest(c.start_ns, p.start_ns) as from_ns, least(c.end_ns, p.end_ns) as to_ns
from part c
left join (
  select trace_hi, trace_lo, span_id, max(rowid) as span, arg_max(start_ns, rowid) as start_ns, arg_max(end_ns, rowid) as end_ns
  from part
  where span_id <> 0
  group by trace_hi, trace_lo, span_id
) p on p.trace_hi = c.trace_hi and p.trace_lo = c.trace_lo and p.span_id = c.parent_id`;

// Self time is a span's duration without the union of its children's times.
const OWN = `
create temp table own as
with stepped as (
  select parent, from_ns, to_ns, max(to_ns) over (
    partition by parent order by from_ns, to_ns rows between unbounded preceding and 1 preceding
  ) as reached_ns
  from kin
  where parent is not null
),
family as (
  select parent, sum(greatest(0, to_ns - greatest(from_ns, coalesce(reached_ns, from_ns))))::bigint as covered_ns
  from stepped
  group by parent
)
select s.rowid as span, k.parent, s.service, s.name, s.start_ns >> 30 as slice, s.failed, s.end_ns - s.start_ns as total_ns,
  greatest(0, s.end_ns - s.start_ns - coalesce(f.covered_ns, 0)) as self_ns
from part s
join kin k on k.span = s.rowid
left join family f on f.parent = s.rowid`;

/** Level by level from the roots; reports the spans of each level. Spans in a parent cycle have no root. */
async function* walkPart(session: Session, signal?: AbortSignal): AsyncGenerator<number, void, void> {
  await session.query(ROOTS, [], signal);
  await session.execute('create temp table placed (span bigint not null, path integer not null)');
  for (let depth = 1; ; depth++) {
    const level = await one<{ spans: number }>(session, 'select count(*)::double as spans from found');
    const spans = level?.spans ?? 0;
    if (spans === 0 || depth > DEEPEST) break;
    await session.query(ADD_PATHS, [depth, BigInt(MOST_PATHS)], signal);
    await session.query(ADD_OTHERS, [depth], signal);
    await session.query(LEVEL, [], signal);
    await session.execute('insert into placed select span, path from level; drop table found');
    await session.query(CHILDREN, [], signal);
    await session.execute('drop table level');
    yield spans;
  }
  await session.execute('drop table found');
}

// A span whose parent was not recorded begins a path as a root does.
const ROOTS = `
create temp table found as
select span, service, name, total_ns, 0 as above from own where parent is null`;

// Paths that are new at this depth, those of most time first, as far as there is room. Everything below "other" is other.
const ADD_PATHS = `
insert into made_path
with wanted as (
  select f.above as parent, f.service, f.name, sum(f.total_ns) as total_ns
  from found f
  anti join made_path o on o.path = f.above and o.name = ${OTHER}
  anti join made_path k on k.parent = f.above and k.service = f.service and k.name = f.name
  group by all
)
select (select coalesce(max(path), 0) from made_path) + row_number() over (order by total_ns desc, parent, service, name),
  parent, $1, service, name
from wanted
order by total_ns desc, parent, service, name
limit greatest(0, $2 - (select count(*) from made_path where depth = $1))`;

const ADD_OTHERS = `
insert into made_path
select (select coalesce(max(path), 0) from made_path) + row_number() over (order by parent), parent, $1, ${OTHER}, ${OTHER}
from (
  select distinct f.above as parent
  from found f
  anti join made_path o on o.path = f.above and o.name = ${OTHER}
  anti join made_path k on k.parent = f.above and k.service = f.service and k.name = f.name
) lost
anti join made_path o on o.parent = lost.parent and o.name = ${OTHER}`;

const LEVEL = `
create temp table level as
select f.span, coalesce(k.path, o.path, f.above) as path
from found f
left join made_path k on k.parent = f.above and k.service = f.service and k.name = f.name
left join made_path o on o.parent = f.above and o.name = ${OTHER}`;

const CHILDREN = `
create temp table found as
select o.span, o.service, o.name, o.total_ns, l.path as above
from own o
join level l on l.span = o.parent`;

const SUMS = `
insert into made_slice
select slice, path, count(*) as spans, count(*) filter (failed) as errors, sum(total_ns)::bigint as total_ns, sum(self_ns)::bigint as self_ns
from own
join placed using (span)
group by slice, path`;

/** One path: what its spans sum up to in the window, and in the baseline; 0 where it has none there. */
export interface PathSums {
  readonly path: number;
  /** 0: a root. */
  readonly parent: number;
  readonly depth: number;
  /** Name of the service; null: unknown, or of rarer paths. */
  readonly service: string | null;
  readonly name: string | null;
  readonly is_other: boolean;
  readonly spans: number;
  readonly errors: number;
  readonly total_ns: number;
  readonly self_ns: number;
  /** Self times of the path and of all below it: what is beside each other never adds up to more than what is above it. */
  readonly time_ns: number;
  readonly base_spans: number;
  readonly base_errors: number;
  readonly base_total_ns: number;
  readonly base_self_ns: number;
  readonly base_time_ns: number;
}

interface Whole {
  /** Self times of the whole window. */
  readonly all_ns: number;
  /** Paths of the window that were left out, and their self times. */
  readonly hidden: number;
  readonly hidden_ns: number;
}

export interface SliceRange {
  /** First and last slice, both counted whole. */
  readonly first: bigint;
  readonly last: bigint;
}

/** Paths that take at least a share of the window, or of the baseline, parents first; what is above a path takes more. */
export async function readPathSums(
  session: Session,
  {
    window,
    baseline,
    share,
  }: { readonly window: SliceRange; readonly baseline: SliceRange | null; readonly share: number },
  signal?: AbortSignal,
): Promise<{ readonly paths: readonly PathSums[]; readonly whole: Whole }> {
  const { first, last } = baseline ?? { first: 1n, last: 0n };
  const rows = rowsOf<Whole & (PathSums | { readonly path: null })>(
    await session.query(PATH_SUMS, [window.first, window.last, first, last, share], signal),
  );
  const whole = rows[0] ?? { all_ns: 0, hidden: 0, hidden_ns: 0 };
  return { paths: rows.filter((row): row is Whole & PathSums => row.path !== null), whole };
}

// A path's time is added to all above it, level by level; only what is wide enough leaves the engine, because turning
// 50 000 rows into values takes longer than adding them up.
const PATH_SUMS = `
with recursive own as materialized (
  select path, ${sums('spans', 'errors', 'total_ns', 'self_ns')}
  from path_slice
  where slice between $1 and $2 or slice between $3 and $4
  group by path
),
upward as (
  select path, self_ns, base_self_ns from own
  union all
  select c.parent, u.self_ns, u.base_self_ns from upward u join call_path c on c.path = u.path where c.parent <> 0
),
whole as (select coalesce(sum(self_ns), 0) as all_ns, coalesce(sum(base_self_ns), 0) as base_ns from own),
kept as materialized (
  select path, sum(self_ns) as time_ns, sum(base_self_ns) as base_time_ns
  from upward, whole
  group by path, all_ns, base_ns
  having (sum(self_ns) > 0 and sum(self_ns) >= all_ns * $5) or (sum(base_self_ns) > 0 and sum(base_self_ns) >= base_ns * $5)
),
hidden as (
  select count(*)::double as hidden, coalesce(sum(self_ns), 0) as hidden_ns from own where spans > 0 and path not in (select path from kept)
)
select all_ns, hidden, hidden_ns, c.path, c.parent, c.depth, e.id as service, n.text as name, c.name = ${OTHER} as is_other,
  coalesce(spans, 0) as spans, coalesce(errors, 0) as errors, coalesce(total_ns, 0) as total_ns, coalesce(self_ns, 0) as self_ns, time_ns,
  coalesce(base_spans, 0) as base_spans, coalesce(base_errors, 0) as base_errors,
  coalesce(base_total_ns, 0) as base_total_ns, coalesce(base_self_ns, 0) as base_self_ns, base_time_ns
from whole
cross join hidden
left join kept on true
left join call_path c on c.path = kept.path
left join own on own.path = kept.path
left join entity e on e.entity_id = c.service
left join name n on n.name_id = c.name
order by c.depth, c.path`;

function sums(...columns: readonly string[]): string {
  const sum = (column: string, from: string, to: string): string =>
    `coalesce((sum(${column}) filter (slice between ${from} and ${to}))::double, 0)`;
  return columns
    .map((name) => `${sum(name, '$1', '$2')} as ${name}, ${sum(name, '$3', '$4')} as base_${name}`)
    .join(', ');
}
