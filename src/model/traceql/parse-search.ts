import { parseCondition } from './parse-condition.ts';
import { refuse } from './problem.ts';
import { type Measure, measures, type Relation, type SpanSet, type Stage, type TraceSearch } from './syntax.ts';
import { TokenReader } from './token-reader.ts';

/** Characters of a search. */
export const LONGEST_SEARCH = 4000;

/** Attributes whose value is an id that people paste, by the semantic conventions of OpenTelemetry. */
const idAttributes = [
  'resource.host.name',
  'resource.host.id',
  'resource.k8s.node.name',
  'resource.k8s.pod.name',
  'resource.k8s.pod.uid',
  'resource.service.instance.id',
  'resource.service.name',
  '.gpu.uuid',
  '.gpu.id',
  '.gpu.device_id',
  '.gpu.serial',
  '.request.id',
  '.request_id',
  '.session.id',
];

/**
 * The search for an id alone, without braces: of a trace or a span, or of what the spans ran on.
 * @returns undefined for every other text
 */
function searchOfId(text: string): string | undefined {
  const id = text.trim();
  // A word without a digit or a mark, such as `error`, is a search that was not finished.
  if (!/^[\w.:/@-]{2,200}$/.test(id) || !/[\d./@-]/.test(id)) return undefined;
  const ofParent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/i.exec(id)?.[1];
  const trace = ofParent ?? (/^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(id) ? id : undefined);
  if (trace !== undefined) {
    const whole = trace.toLowerCase();
    return whole.length === 32 ? `{trace:id = "${whole}"}` : `{trace:id = "${whole}" || span:id = "${whole}"}`;
  }
  return `{${idAttributes.map((attribute) => `${attribute} = "${id}"`).join(' || ')}}`;
}

/**
 * Reads TraceQL, the subset in docs/traceql.md, or an id alone.
 * @throws ProblemError traceql.…, whose place is the character that it is about
 */
export function parseSearch(text: string): TraceSearch {
  if (text.length > LONGEST_SEARCH)
    refuse('traceql.too_large', LONGEST_SEARCH, `a search has at most ${LONGEST_SEARCH} characters`);
  const reader = new TokenReader(searchOfId(text) ?? text);
  const spans = either(reader);
  const stages: Stage[] = [];
  while (reader.take('|')) stages.push(stage(reader));
  const { token } = reader;
  if (token.kind !== 'end')
    refuse('traceql.syntax', token.at, 'the search should end here, or go on with &&, ||, >, >>, <, <<, ~ or |');
  return { spans, stages };
}

/** `||` binds least, then `&&`, then what relates spans by their places in the trace. */
function either(reader: TokenReader): SpanSet {
  return chain(reader, ['||'], both);
}

function both(reader: TokenReader): SpanSet {
  return chain(reader, ['&&'], related);
}

function related(reader: TokenReader): SpanSet {
  return chain(reader, ['>', '>>', '<', '<<', '~'], single);
}

function chain(
  reader: TokenReader,
  relations: readonly Relation[],
  operand: (reader: TokenReader) => SpanSet,
): SpanSet {
  let left = operand(reader);
  for (;;) {
    const { at } = reader.token;
    const relation = relations.find((candidate) => reader.take(candidate));
    if (relation === undefined) return left;
    left = { kind: 'related', relation, left, right: operand(reader), at };
  }
}

function single(reader: TokenReader): SpanSet {
  const { token } = reader;
  if (reader.take('(')) return reader.deeper(() => reader.closed(')', either(reader)));
  if (reader.take('{')) {
    reader.countFilter(token.at);
    if (reader.take('}')) return { kind: 'filter', condition: { kind: 'constant', value: true }, at: token.at };
    const condition = parseCondition(reader);
    return reader.closed('}', { kind: 'filter', condition, at: token.at } as const);
  }
  if (token.kind === 'mark' && token.text === '!')
    return refuse('traceql.unsupported', token.at, 'spans that are not related cannot be searched for yet');
  return refuse('traceql.syntax', token.at, 'spans are described in braces', 'for example {status = error}');
}

function stage(reader: TokenReader): Stage {
  const { token } = reader;
  const measure = measures.find((candidate) => token.kind === 'name' && token.text === candidate);
  if (measure === undefined)
    return refuse(
      'traceql.unsupported',
      token.at,
      `after | comes ${measures.join(', ')} and a comparison`,
      'for example {status = error} | count() > 2',
    );
  reader.next();
  reader.expect('(');
  if (measure !== 'count') {
    const { token: of } = reader;
    if (of.kind !== 'name' || of.text !== 'duration')
      refuse('traceql.unsupported', of.at, `${measure} is of the duration`, `write ${measure}(duration)`);
    reader.next();
  }
  reader.expect(')');
  return { measure, ...limit(reader, measure) };
}

function limit(reader: TokenReader, measure: Measure): Omit<Stage, 'measure'> {
  const { at } = reader.token;
  const operator = reader.operator();
  if (operator === undefined || operator === '=~' || operator === '!~')
    return refuse('traceql.syntax', at, `${measure} is compared: =, !=, <, <=, > or >=`);
  const { token } = reader;
  const wanted = measure === 'count' ? 'number' : 'duration';
  if (token.kind !== 'number' && token.kind !== 'duration')
    return refuse('traceql.syntax', token.at, `here stands a ${wanted}`);
  if (token.kind !== wanted)
    refuse(
      'traceql.type',
      token.at,
      `${measure} is compared with a ${wanted}`,
      wanted === 'duration' ? 'write 500ms or 1.5s' : undefined,
    );
  reader.next();
  return { operator, value: token.value };
}
