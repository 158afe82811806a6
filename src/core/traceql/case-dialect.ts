import { unreachable } from '../../base/assert.ts';
import { type AttributeScope, type Operator, spanKinds, spanStatuses } from '../../model/traceql/syntax.ts';
import { sqlOperator, textTest } from './compile-condition.ts';
import type { BoundValues, Comparison, Dialect, Value, ValueScope } from './dialect.ts';

const SPAN = '(s.trace_hi, s.trace_lo, s.span_id)';
const always = (): string => 'true';

/** `name@version`; a version has no `@`. */
const scopePart = (text: string, part: 'name' | 'version'): string =>
  part === 'name'
    ? `regexp_replace(${text}, '@[^@]*$', '')`
    : `(case when contains(${text}, '@') then regexp_extract(${text}, '@([^@]*)$', 1) else '' end)`;

function attributeValue(name: string, scope: ValueScope, bound: BoundValues, alias: string): Value {
  const pointer = bound.bind(pointerOf(name));
  const of = (column: string): Value => {
    const [text, type] = [`json_extract_string(${column}, ${pointer})`, `json_type(${column}, ${pointer})`];
    return {
      number: `(case when ${type} <> 'VARCHAR' then try_cast(${text} as double) end)`,
      text: `(case when ${type} = 'VARCHAR' or ${type} = 'BOOLEAN' then ${text} end)`,
    };
  };
  const span = of(`${alias}.attributes`);
  if (scope === 'span') return span;
  const own = of('attributes');
  const ofResource = (value: string): string => `(select ${value} from resource where resource_id = ${alias}.resource)`;
  if (scope === 'resource') return { number: ofResource(own.number), text: ofResource(own.text) };
  return {
    number: `coalesce(${span.number}, ${ofResource(own.number)})`,
    text: `coalesce(${span.text}, ${ofResource(own.text)})`,
  };
}

const sure = (sql: string): string => `coalesce(${sql}, false)`;
const spans = (alias: string): string => `span ${alias} join source ${alias}_source using (source_id)`;

const textsOf = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;
const entriesOf = (column: string): string =>
  `unnest(map_entries(json_transform(${column}, '"MAP(VARCHAR, VARCHAR)"'))) as e`;

/** Attributes of a resource are read once for all of its spans. */
const pairs = (set: string): string => `
  select trace, inside, 'span.' || e.key as attribute, left(e.value, 200) as value, 1 as x
  from (select trace, inside, ${entriesOf('attributes')} from ${set})
  union all
  select s.trace, s.inside, 'resource.' || e.key, left(e.value, 200), x
  from (select trace, inside, resource, count(*)::integer as x from ${set} group by all) s
  join (select resource_id, ${entriesOf('attributes')} from resource) r on r.resource_id = s.resource
  where e.key <> 'service.name'
  union all
  select trace, inside, 'resource.service.name', id, 1 from ${set} join entity on entity_id = service
  union all
  select trace, inside, 'name', text, 1 from ${set} join name on name_id = ${set}.name
  union all
  select trace, inside, 'status', ${textsOf(spanStatuses)}[status + 1], 1 from ${set}
  union all
  select trace, inside, 'kind', ${textsOf(spanKinds)}[kind + 1], 1 from ${set}`;

/** The tables of a case. */
export const caseDialect: Dialect = {
  noParent: '0',
  semiJoin: 'semi join',
  materialized: 'materialized',
  parameter: (number) => `$${number}`,
  asNumber: (parameter) => `${parameter}::double`,
  valueOfHighest: (value, by) => `arg_max(${value}, ${by})`,
  traceText: (hi, lo) => `printf('%016x%016x', ${hi}, ${lo})`,
  spanText: (span_id) => `printf('%016x', ${span_id})`,
  matches: (text, pattern) => `regexp_full_match(${text}, ${pattern})`,
  spans,
  joined: (alias) => `(${spans(alias)})`,
  columns: (alias) => ({
    trace_hi: `${alias}.trace_hi`,
    trace_lo: `${alias}.trace_lo`,
    span_id: `${alias}.span_id`,
    parent_id: `${alias}.parent_id`,
    start_ns: `${alias}.start_ns + ${alias}_source.clock_offset_ns`,
    duration_ns: `${alias}.end_ns - ${alias}.start_ns`,
    status: `${alias}.status`,
    kind: `${alias}.kind`,
    status_message: `${alias}.status_message`,
    span_text: `printf('%016x', ${alias}.span_id)`,
    parent_text: `printf('%016x', ${alias}.parent_id)`,
    trace_text: `printf('%016x%016x', ${alias}.trace_hi, ${alias}.trace_lo)`,
  }),
  // The window is put on each source's own clock, not the spans on the case's: so it meets the zone maps of start_ns.
  within: (alias, from, to) =>
    `${alias}.start_ns between ${from} - ${alias}_source.clock_offset_ns and ${to} - ${alias}_source.clock_offset_ns`,
  isOfTrace: (alias, id) => `${alias}.trace_hi = trace_hi_of(${id}) and ${alias}.trace_lo = trace_lo_of(${id})`,
  // Names and services are few where spans are many: they are found first, and spans by their numbers.
  name: (alias, test) => sure(`${alias}.name in (select name_id from name where ${test('text')})`),
  service: (alias, test) =>
    sure(`${alias}.service in (select entity_id from entity where kind = 'service' and ${test('id')})`),
  hasNoService: (alias) => `(${alias}.service is null)`,
  attribute,
  anyEvent: ({ name, sinceStart }) =>
    name
      ? `(${SPAN} in (select trace_hi, trace_lo, span_id from span_event where name in (select name_id from name where ${name('text')})))`
      : `(${SPAN} in (select e.trace_hi, e.trace_lo, e.span_id from span_event e
           join span x on x.source_id = e.source_id and x.trace_hi = e.trace_hi and x.trace_lo = e.trace_lo and x.span_id = e.span_id
         where ${(sinceStart ?? always)('(e.time_ns - x.start_ns)')}))`,
  anyLink: ({ trace, span }) => {
    const test = trace
      ? trace(`printf('%016x%016x', linked_trace_hi, linked_trace_lo)`)
      : (span ?? always)(`printf('%016x', linked_span_id)`);
    return `(${SPAN} in (select trace_hi, trace_lo, span_id from span_link where ${test}))`;
  },
  scope: ({ name, version }) =>
    sure(
      `s.scope in (select name_id from name where ${name ? name(scopePart('text', 'name')) : (version ?? always)(scopePart('text', 'version'))})`,
    ),
  attributeValue,
  nameValue: (alias) => `(select text from name where name_id = ${alias}.name)`,
  serviceValue: (alias) => `(select id from entity where entity_id = ${alias}.service)`,
  scopeValue: (part, alias) => `(select ${scopePart('text', part)} from name where name_id = ${alias}.scope)`,
  bucket: (time, from, step) => `((${time} - ${from}) // ${step})`,
  quantile: (value, share) => `quantile_cont(${value}, ${share})`,
  textOfNumber: (value) => `printf('%g', ${value}::double)`,
  // A union without doubles ends by itself, also where spans are each other's parents.
  traceNumber: (hi, lo) => `hash(${hi}, ${lo})`,
  sampled: 's.attributes, s.resource, s.service, s.name, s.kind, s.status',
  pairs,
  closure: (columns, first, next) => `select ${columns} ${first} union select ${columns} ${next}`,
};

function attribute(comparison: Comparison, scope: AttributeScope, bindings: BoundValues): string {
  if (comparison.value.kind === 'nil') return missing(scope, comparison, bindings);
  const ofSpan = (): string => attributeTest('s.attributes', comparison, bindings);
  switch (scope) {
    case 'span':
      return mentioned(comparison, bindings, `coalesce(${ofSpan()}, false)`, 'false');
    case 'resource':
      return ofResource(comparison, bindings);
    case 'any': {
      // Span attributes take precedence over resource attributes.
      const resource = ofResource(comparison, bindings);
      const missesOwn = isMissing('s.attributes', pointerTo(comparison, bindings));
      const test = `(case when ${ofSpan()} then true when ${resource} then ${missesOwn} else false end)`;
      return mentioned(comparison, bindings, test, resource);
    }
    case 'event':
    case 'link': {
      const test = attributeTest('attributes', comparison, bindings);
      return `(${SPAN} in (select trace_hi, trace_lo, span_id from span_${scope} where ${test}))`;
    }
    // No attribute of a scope is stored.
    case 'instrumentation':
      return 'false';
    default:
      return unreachable(scope);
  }
}

/** Most spans lack most attributes: looking for its name in their text takes half the time of reading it as JSON. */
function mentioned({ field }: Comparison, bindings: BoundValues, test: string, otherwise: string): string {
  if (!/^[\w.-]+$/.test(field.name)) return test;
  return `(case when contains(s.attributes, ${bindings.bind(`"${field.name}"`)}) then ${test} else ${otherwise} end)`;
}

/** Resources are few: they are found first. */
function ofResource(comparison: Comparison, bindings: BoundValues): string {
  const test = attributeTest('attributes', comparison, bindings);
  return sure(`s.resource in (select resource_id from resource where ${test})`);
}

/** Compared with nil: a span without any resource lacks all of their attributes. */
function missing(scope: AttributeScope, comparison: Comparison, bindings: BoundValues): string {
  const pointer = pointerTo(comparison, bindings);
  const isLacking = comparison.operator === '=';
  if (scope === 'instrumentation') return String(isLacking);
  if (scope === 'event' || scope === 'link') {
    const has = `(${SPAN} in (select trace_hi, trace_lo, span_id from span_${scope} where not ${isMissing('attributes', pointer)}))`;
    return isLacking ? `(not ${has})` : has;
  }
  const atSpan = isMissing('s.attributes', pointer);
  const atResource = `(s.resource is null or ${sure(`s.resource in (select resource_id from resource where ${isMissing('attributes', pointer)})`)})`;
  const found = { span: atSpan, resource: atResource, any: `(${atResource} and ${atSpan})` }[scope];
  return isLacking ? found : `(not ${found})`;
}

/** As a JSON pointer, which takes any name. */
const pointerOf = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const pointerTo = ({ field }: Comparison, bindings: BoundValues): string => bindings.bind(pointerOf(field.name));

const isMissing = (column: string, pointer: string): string =>
  `coalesce(json_type(${column}, ${pointer}) = 'NULL', true)`;

/**
 * Whether an attribute compares so, true or NULL. The text is tested before its type: reading JSON is nearly all that such a
 * search costs, and most spans fail the first. A text in quotes is no number, however it reads.
 */
function attributeTest(column: string, comparison: Comparison, bindings: BoundValues): string {
  const pointer = pointerTo(comparison, bindings);
  const text = `json_extract_string(${column}, ${pointer})`;
  const type = `json_type(${column}, ${pointer})`;
  const plain = valueTest({ text, type }, comparison, bindings);
  // Of a stated type: the engine of the viewer takes no other list into a lambda function.
  const list = listTest(`json_extract(json_extract(${column}, ${pointer}), '$[*]')::json[]`, comparison, bindings);
  return `(case when starts_with(${text}, '[') and ${type} = 'ARRAY' then ${list} when ${plain.value} then ${plain.type} end)`;
}

/** Any element compares so; of `!=` and `!~`, none is what they exclude, and one at least is of the kind compared. */
function listTest(elements: string, comparison: Comparison, bindings: BoundValues): string {
  const any = (operator: Operator): string => {
    const element = { text: `json_extract_string(e, '$')`, type: 'json_type(e)' };
    const { value, type } = valueTest(element, { ...comparison, operator }, bindings);
    return `len(list_filter(${elements}, lambda e: coalesce(${value} and ${type}, false))) > 0`;
  };
  const { operator } = comparison;
  if (operator !== '!=' && operator !== '!~') return any(operator);
  return `(${any(operator)} and not ${any(operator === '!=' ? '=' : '=~')})`;
}

/** What must hold of a value as text, and of its type where that holds. Either may be NULL, for false. */
function valueTest(
  { text, type }: { readonly text: string; readonly type: string },
  { operator, value }: Comparison,
  bindings: BoundValues,
) {
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
