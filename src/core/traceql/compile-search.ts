import type { SqlValue } from '../../model/storage/engine.ts';
import type { Relation, SpanSet, Stage, TraceSearch } from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern, type SearchWindow } from './bindings.ts';
import { compileCondition } from './compile-condition.ts';
import type { Dialect } from './dialect.ts';

/** Order of the traces, and selection beyond the limit. */
export type TraceOrder = 'earliest' | 'slowest' | 'most_matched';

export interface CompiledSearch {
  /** Rows: trace_id, matches, longest_ns, ref (the longest span that matched), first_ns; and of all: traces, spans. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** To be tried before the search is run: what RE2 refuses would end it without a position. */
  readonly patterns: readonly Pattern[];
}

export interface SearchOptions {
  readonly window: SearchWindow;
  readonly order: TraceOrder;
  readonly limit: number;
}

/** A search as one statement: matching spans, combined as requested, grouped by trace. */
export function compileSearch(
  search: TraceSearch,
  { window, order, limit }: SearchOptions,
  dialect: Dialect,
): CompiledSearch {
  const bindings = new Bindings(window, dialect);
  const sets: string[] = [];
  const found = compileSet(search.spans, 'window', { bindings, sets });
  const having = search.stages.map((stage) => compileStage(stage, bindings)).join(' and ') || 'true';
  const most = bindings.bind(BigInt(limit));
  const traceText = dialect.traceText('trace_hi', 'trace_lo');
  const sql = `with recursive ${[...bindings.commons, ...sets].join(',\n')},
grouped as (
  select trace_hi, trace_lo, count(*) as matched, max(duration_ns) as longest_ns, min(start_ns) as first_ns,
    ${dialect.valueOfHighest('span_id', 'duration_ns')} as longest
  from ${found}
  group by trace_hi, trace_lo
  having ${having}
)
select ${traceText} as trace_id, matched::double as matches, longest_ns, first_ns,
  'span:' || ${traceText} || '/' || ${dialect.spanText('longest')} as ref,
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
function addSet({ sets, bindings }: Building, sql: string, materialized = bindings.dialect.materialized): string {
  const name = `set_${sets.length}`;
  sets.push(`${name} as ${materialized} (${sql})`);
  return name;
}

/** `related`: spans that only give context may begin somewhat outside of the window. */
function compileSet(set: SpanSet, window: 'window' | 'related', building: Building): string {
  if (set.kind === 'filter') {
    const { dialect } = building.bindings;
    const condition = compileCondition(set.condition, building.bindings);
    const column = dialect.columns('s');
    // What is named once need not be written down before it is read.
    return addSet(
      building,
      `select ${column.trace_hi} as trace_hi, ${column.trace_lo} as trace_lo, ${column.span_id} as span_id, ${column.parent_id} as parent_id,
         ${column.start_ns} as start_ns, ${column.duration_ns} as duration_ns
       from ${dialect.spans('s')} where ${building.bindings.within('s', window)} and ${condition}`,
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
  const { noParent, semiJoin } = building.bindings.dialect;
  switch (relation) {
    case '||':
      return addSet(building, `select ${COLUMNS} from ${left} union distinct select ${COLUMNS} from ${right}`);
    case '&&':
      return addSet(
        building,
        `select ${COLUMNS} from (select * from ${left} union distinct select * from ${right})
         where (trace_hi, trace_lo) in (select trace_hi, trace_lo from ${left})
           and (trace_hi, trace_lo) in (select trace_hi, trace_lo from ${right})`,
      );
    case '>':
      return addSet(
        building,
        `select r.* from ${right} r ${semiJoin} ${left} l on ${sameTrace('l', 'r')} and l.span_id = r.parent_id and r.parent_id <> ${noParent}`,
      );
    case '<':
      return addSet(
        building,
        `select r.* from ${right} r ${semiJoin} ${left} l on ${sameTrace('l', 'r')} and l.parent_id = r.span_id and r.span_id <> ${noParent}`,
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
     join (select trace_hi, trace_lo, parent_id, min(span_id) as lowest, max(span_id) as highest from ${left} where parent_id <> ${building.bindings.dialect.noParent} group by all) l
       on ${sameTrace('l', 'r')} and l.parent_id = r.parent_id
     where l.lowest <> r.span_id or l.highest <> r.span_id`,
  );
}

/** Every span of the traces in which both sides were found, to go from one to the other. */
function family({ left, right }: Operands, building: Building): string {
  const { dialect } = building.bindings;
  const { trace_hi, trace_lo, span_id, parent_id } = dialect.columns('s');
  return addSet(
    building,
    `select ${trace_hi} as trace_hi, ${trace_lo} as trace_lo, ${span_id} as span_id, ${parent_id} as parent_id from ${dialect.spans('s')}
     where ${building.bindings.within('s', 'related')} and ${parent_id} <> ${dialect.noParent} and ${parent_id} <> ${span_id}
       and (${trace_hi}, ${trace_lo}) in (select trace_hi, trace_lo from ${left} intersect select trace_hi, trace_lo from ${right})`,
  );
}

function descendants(sides: Operands, building: Building): string {
  const all = family(sides, building);
  const { closure, semiJoin } = building.bindings.dialect;
  const name = `set_${building.sets.length}`;
  const below = addSet(
    building,
    closure(
      'c.trace_hi as trace_hi, c.trace_lo as trace_lo, c.span_id as span_id',
      `from ${all} c ${semiJoin} ${sides.left} l on ${sameTrace('l', 'c')} and l.span_id = c.parent_id`,
      `from ${name} d join ${all} c on ${sameTrace('d', 'c')} and d.span_id = c.parent_id`,
    ),
    '',
  );
  return reached(sides, below, building);
}

function ancestors(sides: Operands, building: Building): string {
  const all = family(sides, building);
  const { closure, noParent } = building.bindings.dialect;
  const name = `set_${building.sets.length}`;
  const above = addSet(
    building,
    closure(
      'c.trace_hi as trace_hi, c.trace_lo as trace_lo, c.parent_id as span_id',
      `from ${sides.left} c where c.parent_id <> ${noParent} and c.parent_id <> c.span_id`,
      `from ${name} d join ${all} c on ${sameTrace('d', 'c')} and d.span_id = c.span_id`,
    ),
    '',
  );
  return reached(sides, above, building);
}

/** Spans of the right side that are in a set. */
const reached = ({ right }: Operands, set: string, building: Building): string =>
  addSet(
    building,
    `select r.* from ${right} r ${building.bindings.dialect.semiJoin} ${set} d on ${sameTrace('d', 'r')} and d.span_id = r.span_id`,
  );
