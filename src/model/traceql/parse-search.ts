import { parseCondition } from './parse-condition.ts';
import { refuse } from './problem.ts';
import { type Measure, measures, type Relation, type SpanSet, type Stage, type TraceSearch } from './syntax.ts';
import { TokenReader } from './token-reader.ts';

/** Characters of a search. */
export const LONGEST_SEARCH = 4000;

/**
 * Reads TraceQL, the subset in docs/traceql.md.
 * @throws ProblemError traceql.…, whose place is the character that it is about
 */
export function parseSearch(text: string): TraceSearch {
  if (text.length > LONGEST_SEARCH)
    refuse('traceql.too_large', LONGEST_SEARCH, `a search has at most ${LONGEST_SEARCH} characters`);
  const reader = new TokenReader(text);
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
