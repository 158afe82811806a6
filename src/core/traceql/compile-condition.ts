import { unreachable } from '../../base/assert.ts';
import {
  type AttributeScope,
  type Condition,
  type Field,
  type Intrinsic,
  type Literal,
  type Operator,
  spanKinds,
  spanStatuses,
  type Term,
} from '../../model/traceql/syntax.ts';
import type { Bindings } from './bindings.ts';
import type { BoundValues, Comparison, SpanColumns, ValueScope } from './dialect.ts';

/**
 * A condition on the span `s` as SQL that is true or false, never NULL: what is missing, or of another type, neither equals
 * nor differs from anything, so that `!` turns around exactly what was asked.
 */
export function compileCondition(condition: Condition, bindings: Bindings): string {
  switch (condition.kind) {
    case 'constant':
      return String(condition.value);
    case 'not':
      return `(not ${compileCondition(condition.of, bindings)})`;
    case 'and':
    case 'or':
      return `(${compileCondition(condition.left, bindings)} ${condition.kind} ${compileCondition(condition.right, bindings)})`;
    case 'computed':
      return hasParent(condition.left) || hasParent(condition.right)
        ? besideParent(computed(condition, bindings), bindings)
        : computed(condition, bindings);
    case 'comparison':
      return condition.field.ofParent
        ? ofParent(condition, bindings)
        : condition.field.kind === 'attribute'
          ? attribute(condition, condition.field.scope, bindings)
          : intrinsic(condition, condition.field.name, bindings);
    default:
      return unreachable(condition);
  }
}

/** Whether the parent, as far as it was recorded, compares so; without one every attribute of it is missing. */
function ofParent(comparison: Comparison, bindings: Bindings): string {
  const { value, operator, field } = comparison;
  if (value.kind === 'nil' && operator === '=') return `(not ${ofParent({ ...comparison, operator: '!=' }, bindings)})`;
  const { ofParent: _, ...own } = field;
  const { dialect } = bindings;
  // The same alias inside: it hides the span outside, whose parent is looked for.
  const s = dialect.columns('s');
  return `(${s.parent_id} <> ${dialect.noParent} and (${s.trace_hi}, ${s.trace_lo}, ${s.parent_id}) in (
    select ${s.trace_hi}, ${s.trace_lo}, ${s.span_id} from ${dialect.spans('s')}
    where ${bindings.within('s', 'related')} and ${compileCondition({ ...comparison, field: own }, bindings)}))`;
}

export const hasParent = (term: Term): boolean =>
  term.kind === 'binary' ? hasParent(term.left) || hasParent(term.right) : 'ofParent' in term;

/** What holds of a span `s` and its parent `p` together. */
function besideParent(condition: string, bindings: Bindings): string {
  const { dialect } = bindings;
  const s = dialect.columns('s');
  return `((${s.trace_hi}, ${s.trace_lo}, ${s.span_id}) in (
    select ${s.trace_hi}, ${s.trace_lo}, ${s.span_id} from ${dialect.spans('s')} join ${dialect.joined('p')} on ${isParent(s, bindings)}
    where ${bindings.within('s', 'related')} and ${condition}))`;
}

/** Joins the parent `p` of a span with these columns. */
export function isParent(child: Pick<SpanColumns, 'trace_hi' | 'trace_lo' | 'parent_id'>, bindings: Bindings): string {
  const { dialect } = bindings;
  const p = dialect.columns('p');
  return `${p.trace_hi} = ${child.trace_hi} and ${p.trace_lo} = ${child.trace_lo} and ${p.span_id} = ${child.parent_id}
      and ${child.parent_id} <> ${dialect.noParent} and ${bindings.within('p', 'related')}`;
}

export const sqlOperator = (operator: Operator): string => (operator === '!=' ? '<>' : operator);

/** Patterns are RE2's and hold for the whole text, as in TraceQL. */
export function textTest(text: string, operator: Operator, value: string, bindings: BoundValues): string {
  switch (operator) {
    case '=~':
      return bindings.dialect.matches(text, bindings.bind(value));
    case '!~':
      return `not ${bindings.dialect.matches(text, bindings.bind(value))}`;
    default:
      return `${text} ${sqlOperator(operator)} ${bindings.bind(value)}`;
  }
}

const sure = (sql: string): string => `coalesce(${sql}, false)`;
const textOf = (value: Literal): string => (value.kind === 'text' ? value.value : '');

const testOf =
  ({ operator, value }: Comparison, bindings: Bindings) =>
  (text: string): string =>
    textTest(text, operator, textOf(value), bindings);

function intrinsic(comparison: Comparison, name: Intrinsic, bindings: Bindings): string {
  const { operator, value } = comparison;
  if (value.kind === 'text') bindings.notePattern(operator, value);
  const { dialect } = bindings;
  const column = dialect.columns('s');
  const compared = sqlOperator(operator);
  const test = testOf(comparison, bindings);
  switch (name) {
    case 'name':
      return dialect.name('s', test);
    case 'statusMessage':
      return sure(test(column.status_message));
    case 'duration':
      return `${column.duration_ns} ${compared} ${bindings.bind(nanosecondsOf(value))}`;
    case 'status':
      return `${column.status} ${compared} ${spanStatuses.indexOf(value.kind === 'status' ? value.value : 'unset')}`;
    case 'kind':
      return `${column.kind} ${compared} ${spanKinds.indexOf(value.kind === 'kind' ? value.value : 'unspecified')}`;
    case 'nestedSetParent':
      return `${column.parent_id} ${operator === '=' || operator === '<' ? '=' : '<>'} ${dialect.noParent}`;
    case 'spanId':
      return sure(textTest(column.span_text, operator, textOf(value).toLowerCase(), bindings));
    case 'parentId':
      return sure(
        `${column.parent_id} <> ${dialect.noParent} and ${textTest(column.parent_text, operator, textOf(value).toLowerCase(), bindings)}`,
      );
    case 'childCount':
      return childCount(comparison, bindings);
    case 'eventName':
      return dialect.anyEvent({ name: test });
    case 'eventTime':
      return dialect.anyEvent({ sinceStart: (time) => `${time} ${compared} ${bindings.bind(nanosecondsOf(value))}` });
    case 'linkTraceId':
    case 'linkSpanId': {
      const id = (text: string): string => textTest(text, operator, textOf(value).toLowerCase(), bindings);
      return dialect.anyLink(name === 'linkTraceId' ? { trace: id } : { span: id });
    }
    case 'scopeName':
      return dialect.scope({ name: test });
    case 'scopeVersion':
      return dialect.scope({ version: test });
    case 'traceId':
      return traceId(comparison, bindings);
    case 'rootName':
      return ofTrace(bindings.roots(dialect.name('r', test)), bindings);
    case 'rootServiceName':
      return ofTrace(bindings.roots(dialect.service('r', test)), bindings);
    case 'traceDuration':
      return ofTrace(bindings.traceLengths(`duration_ns ${compared} ${bindings.bind(nanosecondsOf(value))}`), bindings);
    default:
      return unreachable(name);
  }
}

const holdsOfNone: Readonly<Record<string, (value: number) => boolean>> = {
  ...{ '=': (value: number) => value === 0, '!=': (value: number) => value !== 0 },
  ...{ '<': (value: number) => 0 < value, '<=': (value: number) => 0 <= value },
  ...{ '>': (value: number) => 0 > value, '>=': (value: number) => 0 >= value },
};

/** Spans without children stand beside no parent: they are those that are none. */
function childCount({ operator, value }: Comparison, bindings: Bindings): string {
  const { dialect } = bindings;
  const [s, c] = [dialect.columns('s'), dialect.columns('c')];
  const count = value.kind === 'number' ? value.value : 0;
  const parents = (more: string): string =>
    `((${s.trace_hi}, ${s.trace_lo}, ${s.span_id}) in (select ${c.trace_hi}, ${c.trace_lo}, ${c.parent_id} from ${dialect.spans('c')}
       where ${c.parent_id} <> ${dialect.noParent} and ${bindings.within('c', 'related')} group by 1, 2, 3 ${more}))`;
  const some = parents(`having count(*) ${sqlOperator(operator)} ${bindings.bindNumber(count)}`);
  return holdsOfNone[operator]?.(count) ? `(${some} or not ${parents('')})` : some;
}

type Computed = Condition & { kind: 'computed' };

/** Numbers with numbers, else texts with texts; what is missing compares with nothing. */
function computed({ left, operator, right }: Computed, bindings: Bindings): string {
  const [a, b] = [termValue(left, bindings), termValue(right, bindings)];
  const compared = sqlOperator(operator);
  const texts = a.text === null || b.text === null ? '' : `, ${a.text} ${compared} ${b.text}`;
  return `coalesce(${a.number} ${compared} ${b.number}${texts}, false)`;
}

interface TermValue {
  readonly number: string;
  readonly text: string | null;
}

/** A term of the span `s`, and of its parent `p`, as a number, and as a text if it can be one. */
export function termValue(term: Term, bindings: Bindings): TermValue {
  if (!('ofParent' in term)) return valueAt('s', term, bindings);
  const { number, text } = valueAt('p', term, bindings);
  const { dialect } = bindings;
  const known = (sql: string): string =>
    `(case when ${dialect.columns('p').span_id} <> ${dialect.noParent} then ${sql} end)`;
  return { number: number === NO_NUMBER ? NO_NUMBER : known(number), text: text === null ? null : known(text) };
}

function valueAt(alias: 's' | 'p', term: Term, bindings: Bindings): TermValue {
  const { dialect } = bindings;
  const column = dialect.columns(alias);
  const text = (sql: string) => ({ number: NO_NUMBER, text: sql });
  switch (term.kind) {
    case 'number':
    case 'duration':
      return { number: bindings.bindNumber(term.value), text: null };
    case 'text':
      return text(bindings.bind(term.value));
    case 'attribute':
      if (term.name === SERVICE && term.scope !== 'span') return text(dialect.serviceValue(alias));
      return dialect.attributeValue(term.name, term.scope as ValueScope, bindings, alias);
    case 'intrinsic':
      switch (term.name) {
        case 'duration':
          return { number: `(${column.duration_ns})`, text: null };
        case 'name':
          return text(dialect.nameValue(alias));
        case 'statusMessage':
          return text(column.status_message);
        case 'spanId':
          return text(column.span_text);
        case 'parentId':
          return text(column.parent_text);
        case 'scopeName':
        case 'scopeVersion':
          return text(dialect.scopeValue(term.name === 'scopeName' ? 'name' : 'version', alias));
        case 'status':
          return text(namesOf(column.status, spanStatuses));
        case 'kind':
          return text(namesOf(column.kind, spanKinds));
        default:
          throw new Error(`bug: ${term.name} has no value of a span`);
      }
    case 'binary': {
      const [a, b] = [termValue(term.left, bindings), termValue(term.right, bindings)];
      if (term.operator === '^') return { number: `power(${a.number}, ${b.number})`, text: null };
      // Nothing is what a division by nothing gives, not an infinity that is more than all.
      const divisor = term.operator === '/' || term.operator === '%' ? `nullif(${b.number}, 0)` : b.number;
      return { number: `(${a.number} ${term.operator} ${divisor})`, text: null };
    }
    default:
      throw new Error(`bug: ${term.kind} is no term`);
  }
}

const NO_NUMBER = 'cast(null as double)';
const namesOf = (column: string, names: readonly string[]): string =>
  `(case ${column} ${names.map((name, at) => `when ${at} then '${name}'`).join(' ')} end)`;

/** What a group is called by a field: its text, else its number; `nil` where there is none. */
export function labelOf(field: Field, bindings: Bindings): string {
  const { number, text } = termValue(field, bindings);
  const parts = [
    ...(text === null ? [] : [text]),
    ...(number === NO_NUMBER ? [] : [bindings.dialect.textOfNumber(number)]),
  ];
  return `coalesce(${parts.join(', ')}, 'nil')`;
}

function ofTrace(traces: string, { dialect }: Bindings): string {
  const { trace_hi, trace_lo } = dialect.columns('s');
  return `((${trace_hi}, ${trace_lo}) in (${traces}))`;
}

function traceId({ operator, value }: Comparison, bindings: Bindings): string {
  const text = textOf(value).toLowerCase();
  if (operator !== '=' && operator !== '!=')
    return sure(textTest(bindings.dialect.columns('s').trace_text, operator, text, bindings));
  const same = sure(bindings.dialect.isOfTrace('s', bindings.bind(text)));
  return operator === '=' ? same : `(not ${same})`;
}

const LONGEST_NS = 4e18;
/** What no span can last compares as the longest that the case can hold. */
function nanosecondsOf(value: Literal): bigint {
  const nanoseconds = value.kind === 'duration' ? value.value : 0;
  return BigInt(Math.round(Math.min(Math.max(nanoseconds, -LONGEST_NS), LONGEST_NS)));
}

const SERVICE = 'service.name';

function attribute(comparison: Comparison, scope: AttributeScope, bindings: Bindings): string {
  const { field, operator, value } = comparison;
  if (value.kind === 'text') bindings.notePattern(operator, value);
  const { dialect } = bindings;
  // It has a column: of a resource that names a service nothing else is the service's name.
  if (field.name === SERVICE && scope !== 'span' && (value.kind === 'text' || value.kind === 'nil')) {
    if (value.kind === 'text') return dialect.service('s', testOf(comparison, bindings));
    return operator === '=' ? dialect.hasNoService('s') : `(not ${dialect.hasNoService('s')})`;
  }
  return dialect.attribute(comparison, scope, bindings);
}
