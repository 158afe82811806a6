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

type Comparison = Condition & { kind: 'comparison' };

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

const sure = (sql: string): string => `coalesce(${sql}, false)`;
const sqlOperator = (operator: Operator): string => (operator === '!=' ? '<>' : operator);

/** Patterns are RE2's and hold for the whole text, as in TraceQL. */
function textTest(text: string, operator: Operator, value: string, bindings: Bindings): string {
  switch (operator) {
    case '=~':
      return `regexp_full_match(${text}, ${bindings.bind(value)})`;
    case '!~':
      return `not regexp_full_match(${text}, ${bindings.bind(value)})`;
    default:
      return `${text} ${sqlOperator(operator)} ${bindings.bind(value)}`;
  }
}

const textOf = (value: Literal): string => (value.kind === 'text' ? value.value : '');

/** Names and services are few where spans are many: they are found first, and spans by their numbers. */
const named = (column: string, { operator, value }: Comparison, bindings: Bindings): string =>
  sure(`${column} in (select name_id from name where ${textTest('text', operator, textOf(value), bindings)})`);
const ofService = (column: string, { operator, value }: Comparison, bindings: Bindings): string =>
  sure(
    `${column} in (select entity_id from entity where kind = 'service' and ${textTest('id', operator, textOf(value), bindings)})`,
  );

function intrinsic(comparison: Comparison, name: Intrinsic, bindings: Bindings): string {
  const { operator, value } = comparison;
  if (value.kind === 'text') bindings.notePattern(operator, value);
  const compared = sqlOperator(operator);
  switch (name) {
    case 'name':
      return named('s.name', comparison, bindings);
    case 'statusMessage':
      return sure(textTest('s.status_message', operator, textOf(value), bindings));
    case 'duration':
      return `s.end_ns - s.start_ns ${compared} ${bindings.bind(nanosecondsOf(value))}`;
    case 'status':
      return `s.status ${compared} ${spanStatuses.indexOf(value.kind === 'status' ? value.value : 'unset')}`;
    case 'kind':
      return `s.kind ${compared} ${spanKinds.indexOf(value.kind === 'kind' ? value.value : 'unspecified')}`;
    case 'nestedSetParent':
      return `s.parent_id ${operator === '=' || operator === '<' ? '=' : '<>'} 0`;
    case 'spanId':
      return sure(textTest("printf('%016x', s.span_id)", operator, textOf(value).toLowerCase(), bindings));
    case 'traceId':
      return traceId(comparison, bindings);
    case 'rootName':
      return ofTrace(bindings.roots(named('r.name', comparison, bindings)));
    case 'rootServiceName':
      return ofTrace(bindings.roots(ofService('r.service', comparison, bindings)));
    case 'traceDuration':
      return ofTrace(bindings.traceLengths(`duration_ns ${compared} ${bindings.bind(nanosecondsOf(value))}`));
    default:
      return unreachable(name);
  }
}

const ofTrace = (traces: string): string => `((s.trace_hi, s.trace_lo) in (${traces}))`;

function traceId({ operator, value }: Comparison, bindings: Bindings): string {
  const text = textOf(value).toLowerCase();
  if (operator !== '=' && operator !== '!=')
    return sure(textTest("printf('%016x%016x', s.trace_hi, s.trace_lo)", operator, text, bindings));
  const id = bindings.bind(text);
  const same = sure(`s.trace_hi = trace_hi_of(${id}) and s.trace_lo = trace_lo_of(${id})`);
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
  // The case has it as a column: of a resource that names a service nothing else is the service's name.
  if (field.name === SERVICE && scope !== 'span' && (value.kind === 'text' || value.kind === 'nil'))
    return value.kind === 'text'
      ? ofService('s.service', comparison, bindings)
      : `s.service is ${operator === '=' ? '' : 'not '}null`;
  return atScope(scope, comparison, bindings);
}

function atScope(scope: AttributeScope, comparison: Comparison, bindings: Bindings): string {
  if (comparison.value.kind === 'nil') return missing(scope, comparison, bindings);
  const ofSpan = (): string => {
    const { value, type } = attributeTest('s.attributes', comparison, bindings);
    return `when ${value} then ${type}`;
  };
  switch (scope) {
    case 'span':
      return mentioned(comparison, bindings, `(case ${ofSpan()} else false end)`, 'false');
    case 'resource':
      return ofResource(comparison, bindings);
    case 'any': {
      // Span attributes take precedence over resource attributes.
      const resource = ofResource(comparison, bindings);
      const missesOwn = isMissing('s.attributes', pointerTo(comparison, bindings));
      const test = `(case ${ofSpan()} when ${resource} then ${missesOwn} else false end)`;
      return mentioned(comparison, bindings, test, resource);
    }
    default:
      return unreachable(scope);
  }
}

/** Most spans lack most attributes: looking for its name in their text takes half the time of reading it as JSON. */
function mentioned({ field }: Comparison, bindings: Bindings, test: string, otherwise: string): string {
  if (!/^[\w.-]+$/.test(field.name)) return test;
  return `(case when contains(s.attributes, ${bindings.bind(`"${field.name}"`)}) then ${test} else ${otherwise} end)`;
}

/** Resources are few: they are found first. */
function ofResource(comparison: Comparison, bindings: Bindings): string {
  const { value, type } = attributeTest('attributes', comparison, bindings);
  return sure(`s.resource in (select resource_id from resource where ${value} and ${type})`);
}

/** Compared with nil: a span without any resource lacks all of their attributes. */
function missing(scope: AttributeScope, comparison: Comparison, bindings: Bindings): string {
  const pointer = pointerTo(comparison, bindings);
  const atSpan = isMissing('s.attributes', pointer);
  const atResource = `(s.resource is null or ${sure(`s.resource in (select resource_id from resource where ${isMissing('attributes', pointer)})`)})`;
  const found = { span: atSpan, resource: atResource, any: `(${atResource} and ${atSpan})` }[scope];
  return comparison.operator === '=' ? found : `(not ${found})`;
}

/** As a JSON pointer, which takes any name. */
const pointerTo = ({ field }: Comparison, bindings: Bindings): string =>
  bindings.bind(`/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`);

const isMissing = (column: string, pointer: string): string =>
  `coalesce(json_type(${column}, ${pointer}) = 'NULL', true)`;

/**
 * What must hold of the value as text, and of its type where that holds: reading JSON is nearly all that such a search
 * costs, and most spans fail the first. A text in quotes is no number, however it reads. Either may be NULL, for false.
 */
function attributeTest(column: string, comparison: Comparison, bindings: Bindings) {
  const { operator, value } = comparison;
  const pointer = pointerTo(comparison, bindings);
  const text = `json_extract_string(${column}, ${pointer})`;
  const type = `json_type(${column}, ${pointer})`;
  switch (value.kind) {
    case 'boolean':
      return { value: `${text} = '${operator === '=' ? value.value : !value.value}'`, type: `${type} = 'BOOLEAN'` };
    case 'number':
      return {
        value: `try_cast(${text} as double) ${sqlOperator(operator)} ${bindings.bindNumber(value.value)}`,
        type: `${type} <> 'VARCHAR'`,
      };
    case 'text':
      return { value: textTest(text, operator, value.value, bindings), type: `${type} = 'VARCHAR'` };
    default:
      throw new Error(`bug: an attribute is compared with a ${value.kind}`);
  }
}
