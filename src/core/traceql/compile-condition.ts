import { unreachable } from '../../base/assert.ts';
import {
  type AttributeScope,
  type Condition,
  type Intrinsic,
  type Literal,
  type Operator,
  spanKinds,
  spanStatuses,
} from '../../model/traceql/syntax.ts';
import type { Bindings } from './bindings.ts';
import type { BoundValues, Comparison } from './dialect.ts';

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
    case 'comparison':
      return condition.field.kind === 'attribute'
        ? attribute(condition, condition.field.scope, bindings)
        : intrinsic(condition, condition.field.name, bindings);
    default:
      return unreachable(condition);
  }
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
