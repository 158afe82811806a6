import { unreachable } from '../../base/assert.ts';
import { type AttributeScope, type Operator, spanKinds, spanStatuses } from '../../model/traceql/syntax.ts';
import { sqlOperator, textTest } from './compile-condition.ts';
import type { BoundValues, Comparison, Dialect } from './dialect.ts';

/** Spans that call each other in a ring would be followed for ever: ClickHouse has no recursion that ends by itself. */
const DEEPEST = 200;

const textsOf = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;
/** `Server` and `SPAN_KIND_SERVER`: the number in OTLP's enumeration, 0 where it is none of them. */
const numberOf = (column: string, names: readonly string[]): string =>
  `greatest(indexOf(${textsOf(names)}, lower(splitByChar('_', toString(${column}))[-1])) - 1, 0)`;
const namedOf = (column: string, names: readonly string[]): string =>
  `${textsOf(names)}[${numberOf(column, names)} + 1]`;
/** A list of pairs: how a search writes the attribute, and its value. */
const ofMap = (scope: 'span' | 'resource', map: string): string =>
  `arrayMap((k, v) -> ('${scope}.' || k, leftUTF8(v, 200)), mapKeys(${map}), mapValues(${map}))`;

/**
 * The table of spans of the OpenTelemetry exporter, bound as `database` and `traces`. Ids stay texts, halves of a trace id, too: so
 * equal ids are found without reading them as numbers. Common tables are evaluated where they are named.
 */
export const clickhouseDialect: Dialect = {
  noParent: "''",
  semiJoin: 'left semi join',
  materialized: '',
  parameter: (number, value) => `{p${number}:${typeof value === 'bigint' ? 'Int64' : 'String'}}`,
  // Where it is no number, nothing equals it.
  asNumber: (parameter) => `toFloat64OrNull(${parameter})`,
  valueOfHighest: (value, by) => `argMax(${value}, ${by})`,
  traceText: (hi, lo) => `${hi} || ${lo}`,
  spanText: (span_id) => span_id,
  // A dot is no line end, as in RE2 by itself.
  matches: (text, pattern) => `match(${text}, '(?-s)^(?:' || ${pattern} || ')$')`,
  spans: (alias) => `{database:Identifier}.{traces:Identifier} as ${alias}`,
  joined: (alias) => `{database:Identifier}.{traces:Identifier} as ${alias}`,
  columns: (alias) => ({
    trace_hi: `substring(${alias}.TraceId, 1, 16)`,
    trace_lo: `substring(${alias}.TraceId, 17, 16)`,
    span_id: `${alias}.SpanId`,
    parent_id: `${alias}.ParentSpanId`,
    start_ns: `toUnixTimestamp64Nano(${alias}.Timestamp)`,
    duration_ns: `toInt64(${alias}.Duration)`,
    status: numberOf(`${alias}.StatusCode`, spanStatuses),
    kind: numberOf(`${alias}.SpanKind`, spanKinds),
    status_message: `${alias}.StatusMessage`,
    span_text: `${alias}.SpanId`,
    parent_text: `${alias}.ParentSpanId`,
    trace_text: `${alias}.TraceId`,
  }),
  within: (alias, from, to) =>
    `${alias}.Timestamp >= fromUnixTimestamp64Nano(${from}) and ${alias}.Timestamp <= fromUnixTimestamp64Nano(${to})`,
  isOfTrace: (alias, id) => `${alias}.TraceId = leftPad(${id}, 32, '0')`,
  name: (alias, test) => `(${test(`${alias}.SpanName`)})`,
  service: (alias, test) => `(${alias}.ServiceName <> '' and ${test(`${alias}.ServiceName`)})`,
  hasNoService: (alias) => `(${alias}.ServiceName = '')`,
  attribute,
  anyEvent: ({ name, sinceStart }) =>
    name
      ? `arrayExists(x -> ${name('x')}, s.\`Events.Name\`)`
      : `arrayExists(x -> ${(sinceStart ?? always)('(toUnixTimestamp64Nano(x) - toUnixTimestamp64Nano(s.Timestamp))')}, s.\`Events.Timestamp\`)`,
  anyLink: ({ trace, span }) =>
    trace
      ? `arrayExists(x -> ${trace('x')}, s.\`Links.TraceId\`)`
      : `arrayExists(x -> ${(span ?? always)('x')}, s.\`Links.SpanId\`)`,
  scope: ({ name, version }) => `(${name ? name('s.ScopeName') : (version ?? always)('s.ScopeVersion')})`,
  attributeValue: (name, scope, bound, alias) => {
    const key = bound.bind(name);
    const [span, resource] = [`${alias}.SpanAttributes`, `${alias}.ResourceAttributes`];
    const text = { span: textIn(span, key), resource: textIn(resource, key), any: '' };
    text.any = `coalesce(${text.span}, ${text.resource})`;
    const number = `toFloat64OrNull(${text[scope]})`;
    return { number, text: `if(${number} is null, ${text[scope]}, NULL)` };
  },
  nameValue: (alias) => `${alias}.SpanName`,
  serviceValue: (alias) => `${alias}.ServiceName`,
  scopeValue: (part, alias) => `${alias}.${part === 'name' ? 'ScopeName' : 'ScopeVersion'}`,
  bucket: (time, from, step) => `intDiv(${time} - ${from}, ${step})`,
  // Between two values it is as far as between their ranks, as in a case.
  quantile: (value, share) => `quantileExactInclusive(${share})(${value})`,
  textOfNumber: (value) => `toString(${value})`,
  traceNumber: (hi, lo) => `cityHash64(${hi}, ${lo})`,
  sampled: `arrayConcat(${ofMap('span', 's.SpanAttributes')},
    arrayFilter(p -> p.1 <> 'resource.service.name', ${ofMap('resource', 's.ResourceAttributes')}),
    arrayFilter(p -> p.2 <> '', [('resource.service.name', toString(s.ServiceName)), ('name', toString(s.SpanName)),
      ('status', ${namedOf('s.StatusCode', spanStatuses)}), ('kind', ${namedOf('s.SpanKind', spanKinds)})])) as pairs`,
  pairs: (set) => `
  select trace, inside, p.1 as attribute, p.2 as value, 1 as x
  from (select trace, inside, arrayJoin(pairs) as p from ${set})`,
  closure: (columns, first, next) =>
    `select distinct ${columns}, 1 as level ${first}
     union all select distinct ${columns}, d.level + 1 as level ${next} where d.level < ${DEEPEST}`,
};

const always = (): string => 'true';
const textIn = (map: string, key: string): string => `if(mapContains(${map}, ${key}), ${map}[${key}], NULL)`;

const maps = { span: 's.SpanAttributes', resource: 's.ResourceAttributes' } as const;

/** All values are texts there: a number or a truth value is compared with what a text reads as. */
function attribute(comparison: Comparison, scope: AttributeScope, bindings: BoundValues): string {
  const { field, operator, value } = comparison;
  const key = bindings.bind(field.name);
  const has = (map: string): string => `mapContains(${map}, ${key})`;
  const isNil = value.kind === 'nil';
  const holds = (map: string): string =>
    isNil ? has(map) : `(${has(map)} and ${valueTest(`${map}[${key}]`, comparison, bindings)})`;
  const found = (): string => {
    switch (scope) {
      case 'span':
      case 'resource':
        return holds(maps[scope]);
      case 'any':
        // Span attributes take precedence over resource attributes.
        return isNil
          ? `(${has(maps.span)} or ${has(maps.resource)})`
          : `if(${has(maps.span)}, ${holds(maps.span)}, ${holds(maps.resource)})`;
      case 'event':
      case 'link':
        return `arrayExists(m -> ${isNil ? `mapContains(m, ${key})` : `mapContains(m, ${key}) and ${valueTest(`m[${key}]`, comparison, bindings)}`}, s.\`${scope === 'event' ? 'Events' : 'Links'}.Attributes\`)`;
      case 'instrumentation':
        return 'false';
      default:
        return unreachable(scope);
    }
  };
  return isNil && operator === '=' ? `(not ${found()})` : found();
}

/** A list is stored as its JSON: what reads as a JSON list is one. */
function valueTest(text: string, comparison: Comparison, bindings: BoundValues): string {
  const isList = `(startsWith(${text}, '[') and isValidJSON(${text}))`;
  return `if(${isList}, ${listTest(`JSONExtractArrayRaw(${text})`, comparison, bindings)}, ${plainTest(text, comparison, bindings)})`;
}

/** Any element compares so; of `!=` and `!~`, none is what they exclude, and one at least is of the kind compared. */
function listTest(elements: string, comparison: Comparison, bindings: BoundValues): string {
  const { operator, value } = comparison;
  const any = (own: Operator): string => {
    const isText = `startsWith(e, '"')`;
    const test = plainTest(
      value.kind === 'text' ? 'JSONExtractString(e)' : 'e',
      { ...comparison, operator: own },
      bindings,
    );
    const isKind =
      value.kind === 'text' ? isText : value.kind === 'boolean' ? `e in ('true', 'false')` : `not ${isText}`;
    return `arrayExists(e -> ${isKind} and ${test}, ${elements})`;
  };
  if (operator !== '!=' && operator !== '!~') return any(operator);
  return `(${any(operator)} and not ${any(operator === '!=' ? '=' : '=~')})`;
}

function plainTest(text: string, { operator, value }: Comparison, bindings: BoundValues): string {
  switch (value.kind) {
    case 'boolean':
      return `${text} = '${operator === '=' ? value.value : !value.value}'`;
    case 'number':
      return `coalesce(toFloat64OrNull(${text}) ${sqlOperator(operator)} ${bindings.bindNumber(value.value)}, false)`;
    case 'text':
      return textTest(text, operator, value.value, bindings);
    default:
      throw new Error(`bug: an attribute is compared with a ${value.kind}`);
  }
}
