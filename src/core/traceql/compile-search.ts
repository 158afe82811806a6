import type { SqlValue } from '../../model/storage/engine.ts';
import type {
  Field,
  MeasureStage,
  Place,
  Relation,
  SpanSet,
  Stage,
  Term,
  TraceSearch,
} from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern, type SearchWindow } from './bindings.ts';
import { compileCondition, hasParent, isParent, labelOf, termValue } from './compile-condition.ts';
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
  const building = { bindings, sets: [] };
  const found = compileStages(search, building);
  const selected = search.stages.flatMap((stage) => (stage.kind === 'select' ? stage.fields : []));
  const listed = selected.length === 0 ? found.set : labelled(found.set, selected, building);
  const values = selected
    .map((_, at) => `,\n    ${dialect.valueOfHighest(`label_${at}`, 'duration_ns')} as value_${at}`)
    .join('');
  const most = bindings.bind(BigInt(limit));
  const traceText = dialect.traceText('trace_hi', 'trace_lo');
  const sql = `with recursive ${[...bindings.commons, ...building.sets].join(',\n')},
grouped as (
  select trace_hi, trace_lo, count(*) as matched, max(duration_ns) as longest_ns, min(start_ns) as first_ns,
    ${dialect.valueOfHighest('span_id', 'duration_ns')} as longest${values}
  from ${listed}
  group by trace_hi, trace_lo
  having ${found.having}
)
select ${traceText} as trace_id, matched::double as matches, longest_ns, first_ns,
  'span:' || ${traceText} || '/' || ${dialect.spanText('longest')} as ref,
  (count(*) over ())::double as traces, (sum(matched) over ())::double as spans${selected.map((_, at) => `, value_${at}`).join('')}
from grouped
order by ${search.isLatestFirst ? 'first_ns desc' : orders[order]}, trace_hi, trace_lo
limit ${most}`;
  return { sql, values: bindings.values, patterns: bindings.patterns };
}

const orders: Readonly<Record<TraceOrder, string>> = {
  earliest: 'first_ns',
  slowest: 'longest_ns desc',
  most_matched: 'matched desc',
};

interface Found {
  /** Name of the set of spans. */
  readonly set: string;
  /** What must hold of the spans of a trace, together. */
  readonly having: string;
}

/** The spans of a search behind all of its stages. */
function compileStages({ spans, stages }: TraceSearch, building: Building): Found {
  let set = compileSet(spans, 'window', building);
  const isPlain = stages.every(
    (stage) => stage.kind === 'select' || (stage.kind === 'measure' && !stage.of) || isLength(stage),
  );
  // Nothing but counts and lengths: one pass over the spans found measures and groups them.
  if (isPlain) {
    const tests = stages.flatMap((stage) =>
      stage.kind === 'measure' ? [measured(stage, 'duration_ns', building.bindings)] : [],
    );
    return { set, having: tests.join(' and ') || 'true' };
  }
  let isGrouped = false;
  for (const stage of stages) {
    set = staged(stage, set, { building, isGrouped });
    if (stage.kind === 'by') isGrouped = true;
    if (stage.kind === 'coalesce') isGrouped = false;
  }
  return { set, having: 'true' };
}

/** The set of the spans found, of traces that pass the stages. */
export function keptSpans(search: TraceSearch, building: Building): string {
  const { set, having } = compileStages(search, building);
  if (having === 'true') return set;
  return addSet(
    building,
    `select * from ${set} where (trace_hi, trace_lo) in (
       select trace_hi, trace_lo from ${set} group by trace_hi, trace_lo having ${having})`,
  );
}

const isLength = (stage: Stage): boolean =>
  stage.kind === 'measure' && stage.of?.kind === 'intrinsic' && stage.of.name === 'duration' && !stage.of.ofParent;

function staged(
  stage: Stage,
  set: string,
  { building, isGrouped }: { readonly building: Building; readonly isGrouped: boolean },
): string {
  const group = isGrouped ? ', grp' : '';
  switch (stage.kind) {
    case 'select':
      return set;
    case 'coalesce':
      return addSet(building, `select ${COLUMNS} from ${set}`);
    case 'filter': {
      const kept = compileSet(stage.spans, 'window', building);
      return addSet(
        building,
        `select r.* from ${set} r ${building.bindings.dialect.semiJoin} ${kept} k on ${sameTrace('k', 'r')} and k.span_id = r.span_id`,
      );
    }
    case 'by': {
      const names = stage.fields.map((_, at) => `label_${at}`);
      const text = names.length === 1 ? names[0]! : names.join(` || chr(31) || `);
      return addSet(building, `select ${COLUMNS}, ${text} as grp from ${labelled(set, stage.fields, building)}`);
    }
    case 'measure': {
      const from = stage.of && !isLength(stage) ? valued(set, stage.of, building) : set;
      const value = from === set ? 'duration_ns' : 'amount';
      return addSet(
        building,
        `select ${COLUMNS}${group} from ${set} where (trace_hi, trace_lo${group}) in (
           select trace_hi, trace_lo${group} from ${from} group by trace_hi, trace_lo${group} having ${measured(stage, value, building.bindings)})`,
      );
    }
  }
}

const measured = ({ measure, operator, value }: MeasureStage, of: string, bindings: Bindings): string =>
  `coalesce(${measure === 'count' ? 'count(*)' : `${measure}(${of})`} ${operator === '!=' ? '<>' : operator} ${bindings.bindNumber(value)}, false)`;

/** A set with its spans' rows at `s`, and those of their parents at `p` if any term is about these. */
export function withRows(set: string, terms: readonly Term[], { bindings }: Building): string {
  const { dialect } = bindings;
  const { trace_hi, trace_lo, span_id } = dialect.columns('s');
  const own = `from ${set} c join ${dialect.joined('s')} on c.trace_hi = ${trace_hi} and c.trace_lo = ${trace_lo} and c.span_id = ${span_id}`;
  if (!terms.some(hasParent)) return own;
  const child = { trace_hi: 'c.trace_hi', trace_lo: 'c.trace_lo', parent_id: 'c.parent_id' };
  return `${own} left join ${dialect.joined('p')} on ${isParent(child, bindings)}`;
}

/** With what its spans are called by fields, as `label_0` and so on. */
export function labelled(set: string, fields: readonly Field[], building: Building): string {
  const labels = fields.map((field, at) => `, ${labelOf(field, building.bindings)} as label_${at}`).join('');
  return addSet(building, `select c.*${labels} ${withRows(set, fields, building)}`);
}

/** With a number of each of its spans, as `amount`. */
export const valued = (set: string, term: Term, building: Building): string =>
  addSet(
    building,
    `select c.*, ${termValue(term, building.bindings).number} as amount ${withRows(set, [term], building)}`,
  );

export interface Building {
  readonly bindings: Bindings;
  /** Common table expressions, in the order in which they build on each other. */
  readonly sets: string[];
}

export const COLUMNS = 'trace_hi, trace_lo, span_id, parent_id, start_ns, duration_ns';

/** Adds a set and answers with its name. */
export function addSet(
  { sets, bindings }: Building,
  sql: string,
  materialized = bindings.dialect.materialized,
): string {
  const name = `set_${sets.length}`;
  sets.push(`${name} as ${materialized} (${sql})`);
  return name;
}

/** `related`: spans that only give context may begin somewhat outside of the window. */
export function compileSet(set: SpanSet, window: 'window' | 'related', building: Building): string {
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
  const isPlaced = !set.relation.startsWith('&') && set.relation !== '||';
  const left = compileSet(set.left, isPlaced ? 'related' : window, building);
  const right = compileSet(set.right, window, building);
  return relate(set.relation, { left, right }, building);
}

interface Operands {
  readonly left: string;
  readonly right: string;
}

const mirror: Readonly<Record<Place, Place>> = { '>': '<', '<': '>', '>>': '<<', '<<': '>>', '~': '~' };

function relate(relation: Relation, operands: Operands, building: Building): string {
  const { left, right } = operands;
  const { noParent, semiJoin } = building.bindings.dialect;
  const place = relation.slice(1) as Place;
  // Spans of the right side that do not lie so: also those of traces without any on the left.
  if (relation.startsWith('!')) {
    const lying = relate(place, operands, building);
    return addSet(
      building,
      `select ${COLUMNS} from ${right} where (trace_hi, trace_lo, span_id) not in (select trace_hi, trace_lo, span_id from ${lying})`,
    );
  }
  if (relation.startsWith('&') && relation !== '&&') {
    const below = relate(place, operands, building);
    const above = relate(mirror[place], { left: right, right: left }, building);
    return addSet(building, `select ${COLUMNS} from ${below} union distinct select ${COLUMNS} from ${above}`);
  }
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
    default:
      throw new Error(`bug: ${relation} is no relation`);
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
