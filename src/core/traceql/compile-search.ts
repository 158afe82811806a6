import type { SqlValue } from '../../model/storage/engine.ts';
import type { Relation, SpanSet, Stage, TraceSearch } from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern, type SearchWindow } from './bindings.ts';
import { compileCondition } from './compile-condition.ts';

/** Order of the traces, and selection beyond the limit. */
export type TraceOrder = 'earliest' | 'slowest' | 'most_matched';

export interface CompiledSearch {
  /** Rows: trace_id, matched, longest_ns, ref (the longest span that matched), first_ns; and of all: traces, spans. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** To be tried before the search is run: what RE2 refuses would end it without a position. */
  readonly patterns: readonly Pattern[];
}

/** A search as one statement over the tables of a case: matching spans, combined as requested, grouped by trace. */
export function compileSearch(
  search: TraceSearch,
  { window, order, limit }: { readonly window: SearchWindow; readonly order: TraceOrder; readonly limit: number },
): CompiledSearch {
  const bindings = new Bindings(window);
  const sets: string[] = [];
  const found = compileSet(search.spans, 'window', { bindings, sets });
  const having = search.stages.map((stage) => compileStage(stage, bindings)).join(' and ') || 'true';
  const most = bindings.bind(BigInt(limit));
  const sql = `with recursive ${[...bindings.commons, ...sets].join(',\n')},
grouped as (
  select trace_hi, trace_lo, count(*) as matched, max(duration_ns) as longest_ns, min(start_ns) as first_ns,
    arg_max(span_id, duration_ns) as longest
  from ${found}
  group by trace_hi, trace_lo
  having ${having}
)
select printf('%016x%016x', trace_hi, trace_lo) as trace_id, matched::double as matched, longest_ns, first_ns,
  'span:' || printf('%016x%016x', trace_hi, trace_lo) || '/' || printf('%016x', longest) as ref,
  (count(*) over ())::double as traces, (sum(matched) over ())::double as spans
from grouped
order by ${orders[order]}, trace_hi, trace_lo
limit ${most}`;
  return { sql, values: bindings.values, patterns: bindings.patterns };
}

const orders: Readonly<Record<TraceOrder, string>> = {
  earliest: 'first_ns',
  slowest: 'longest_ns desc',
  most_matched: 'matched desc',
};

const stageTerms: Readonly<Record<Stage['measure'], string>> = {
  count: 'count(*)',
  avg: 'avg(duration_ns)',
  min: 'min(duration_ns)',
  max: 'max(duration_ns)',
  sum: 'sum(duration_ns)',
};

const compileStage = ({ measure, operator, value }: Stage, bindings: Bindings): string =>
  `${stageTerms[measure]} ${operator === '!=' ? '<>' : operator} ${bindings.bindNumber(value)}`;

interface Building {
  readonly bindings: Bindings;
  /** Common table expressions, in the order in which they build on each other. */
  readonly sets: string[];
}

const COLUMNS = 'trace_hi, trace_lo, span_id, parent_id, start_ns, duration_ns';

/** Adds a set and answers with its name. */
function addSet({ sets }: Building, sql: string, materialized = 'materialized'): string {
  const name = `set_${sets.length}`;
  sets.push(`${name} as ${materialized} (${sql})`);
  return name;
}

/** `related`: spans that only give context may begin somewhat outside of the window. */
function compileSet(set: SpanSet, window: 'window' | 'related', building: Building): string {
  if (set.kind === 'filter') {
    const condition = compileCondition(set.condition, building.bindings);
    // What is named once need not be written down before it is read.
    return addSet(
      building,
      `select s.trace_hi, s.trace_lo, s.span_id, s.parent_id, s.start_ns + src.clock_offset_ns as start_ns, s.end_ns - s.start_ns as duration_ns
       from span s join source src using (source_id) where ${building.bindings.within('s', 'src', window)} and ${condition}`,
      '',
    );
  }
  const isPlaced = set.relation !== '&&' && set.relation !== '||';
  const left = compileSet(set.left, isPlaced ? 'related' : window, building);
  const right = compileSet(set.right, window, building);
  return relate(set.relation, { left, right }, building);
}

interface Operands {
  readonly left: string;
  readonly right: string;
}

function relate(relation: Relation, operands: Operands, building: Building): string {
  const { left, right } = operands;
  switch (relation) {
    case '||':
      return addSet(building, `select ${COLUMNS} from ${left} union select ${COLUMNS} from ${right}`);
    case '&&':
      return addSet(
        building,
        `select ${COLUMNS} from (select * from ${left} union select * from ${right})
         where (trace_hi, trace_lo) in (select trace_hi, trace_lo from ${left})
           and (trace_hi, trace_lo) in (select trace_hi, trace_lo from ${right})`,
      );
    case '>':
      return addSet(
        building,
        `select r.* from ${right} r semi join ${left} l on ${sameTrace('l', 'r')} and l.span_id = r.parent_id and r.parent_id <> 0`,
      );
    case '<':
      return addSet(
        building,
        `select r.* from ${right} r semi join ${left} l on ${sameTrace('l', 'r')} and l.parent_id = r.span_id and r.span_id <> 0`,
      );
    case '~':
      return siblings(operands, building);
    case '>>':
      return descendants(operands, building);
    case '<<':
      return ancestors(operands, building);
  }
}

const sameTrace = (a: string, b: string): string => `${a}.trace_hi = ${b}.trace_hi and ${a}.trace_lo = ${b}.trace_lo`;

/** Beside another child of the same parent: the only child on the left is not beside itself. */
function siblings({ left, right }: Operands, building: Building): string {
  return addSet(
    building,
    `select r.* from ${right} r
     join (select trace_hi, trace_lo, parent_id, min(span_id) as lowest, max(span_id) as highest from ${left} where parent_id <> 0 group by all) l
       on ${sameTrace('l', 'r')} and l.parent_id = r.parent_id
     where l.lowest <> r.span_id or l.highest <> r.span_id`,
  );
}

/** Every span of the traces in which both sides were found, to go from one to the other. */
const family = ({ left, right }: Operands, building: Building): string =>
  addSet(
    building,
    `select s.trace_hi, s.trace_lo, s.span_id, s.parent_id from span s join source src using (source_id)
     where ${building.bindings.within('s', 'src', 'related')} and s.parent_id <> 0 and s.parent_id <> s.span_id
       and (s.trace_hi, s.trace_lo) in (select trace_hi, trace_lo from ${left} intersect select trace_hi, trace_lo from ${right})`,
  );

/** A union without doubles ends by itself, also where spans are each other's parents. */
function descendants(sides: Operands, building: Building): string {
  const all = family(sides, building);
  const below = addSet(
    building,
    `select c.trace_hi, c.trace_lo, c.span_id from ${all} c semi join ${sides.left} l on ${sameTrace('l', 'c')} and l.span_id = c.parent_id
     union
     select c.trace_hi, c.trace_lo, c.span_id from set_${building.sets.length} d join ${all} c on ${sameTrace('d', 'c')} and d.span_id = c.parent_id`,
    '',
  );
  return addSet(
    building,
    `select r.* from ${sides.right} r semi join ${below} d on ${sameTrace('d', 'r')} and d.span_id = r.span_id`,
  );
}

function ancestors(sides: Operands, building: Building): string {
  const all = family(sides, building);
  const above = addSet(
    building,
    `select trace_hi, trace_lo, parent_id as span_id from ${sides.left} where parent_id <> 0 and parent_id <> span_id
     union
     select c.trace_hi, c.trace_lo, c.parent_id from set_${building.sets.length} d join ${all} c on ${sameTrace('d', 'c')} and d.span_id = c.span_id`,
    '',
  );
  return addSet(
    building,
    `select r.* from ${sides.right} r semi join ${above} d on ${sameTrace('d', 'r')} and d.span_id = r.span_id`,
  );
}
