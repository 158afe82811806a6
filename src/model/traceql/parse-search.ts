import { parseCondition } from './parse-condition.ts';
import { parseHints, parseMetricEnd, parseStage } from './parse-stage.ts';
import { refuse } from './problem.ts';
import {
  type CompareMetric,
  LONGEST_SEARCH,
  type Metric,
  measures,
  placements,
  type Relation,
  type SpanSet,
  type Stage,
  type TraceSearch,
} from './syntax.ts';
import { TokenReader } from './token-reader.ts';

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
 * Reads TraceQL as in docs/traceql.md, or an id alone.
 * @throws ProblemError traceql.…, whose place is the character that it is about
 */
export function parseSearch(text: string): TraceSearch {
  if (text.length > LONGEST_SEARCH)
    refuse('traceql.too_large', LONGEST_SEARCH, `a search has at most ${LONGEST_SEARCH} characters`);
  const reader = new TokenReader(searchOfId(text) ?? text);
  const spans = startsWithMeasure(reader) ? everySpan(reader) : either(reader);
  const stages: Stage[] = [];
  let metric: Metric | null = null;
  if (startsWithMeasure(reader)) stages.push(parseStage(reader) as Stage);
  while (metric === null && reader.take('|')) {
    if (reader.isMark('{') || reader.isMark('(')) stages.push({ kind: 'filter', spans: either(reader) });
    else if (startsCompare(reader)) metric = compareMetric(reader);
    else {
      const stage = parseStage(reader);
      if ('function' in stage) metric = parseMetricEnd(reader, stage);
      else stages.push(stage);
    }
  }
  const isLatestFirst = parseHints(reader);
  const { token } = reader;
  if (token.kind !== 'end')
    refuse('traceql.syntax', token.at, 'the search should end here, or go on with &&, ||, >, >>, <, <<, ~ or |');
  return { spans, stages, metric, isLatestFirst };
}

const startsCompare = ({ token }: TokenReader): boolean => token.kind === 'name' && token.text === 'compare';
/** As Tempo has it where nothing is stated, and more than a reader compares. */
const COMPARED_VALUES = 10;
const MOST_COMPARED_VALUES = 100;

/** `compare({ status = error }, 10, 1700000000000000000, 1700000060000000000)` */
function compareMetric(reader: TokenReader): CompareMetric {
  reader.next();
  reader.expect('(');
  const selection = either(reader);
  const numbers: { readonly value: number; readonly at: number }[] = [];
  while (reader.take(',')) {
    const { token } = reader;
    if (token.kind !== 'number' || !Number.isInteger(token.value) || token.value < 1)
      return refuse('traceql.type', token.at, 'here stands a whole number from 1', COMPARE_HINT);
    numbers.push(token);
    reader.next();
  }
  const { at } = reader.token;
  reader.expect(')');
  const [most, start, end, more] = numbers;
  if (more || (start && !end))
    return refuse('traceql.syntax', more?.at ?? at, 'a time is its start and its end', COMPARE_HINT);
  if (most && most.value > MOST_COMPARED_VALUES)
    return refuse('traceql.too_large', most.at, `at most ${MOST_COMPARED_VALUES} values of an attribute are listed`);
  if (start && end && end.value < start.value) return refuse('traceql.type', end.at, 'the time ends before it starts');
  const between = start && end ? ([start.value, end.value] as const) : null;
  return { function: 'compare', selection, most: most?.value ?? COMPARED_VALUES, between };
}

const COMPARE_HINT = 'compare({selection}, values, start, end), times in nanoseconds since 1970';

/** `count() > 10` alone is about every span. */
const startsWithMeasure = ({ token }: TokenReader): boolean =>
  token.kind === 'name' && measures.some((one) => one === token.text);
const everySpan = ({ token: { at } }: TokenReader): SpanSet => ({
  kind: 'filter',
  condition: { kind: 'constant', value: true },
  at,
});

/** `||` binds least, then `&&`, then what relates spans by their places in the trace. */
function either(reader: TokenReader): SpanSet {
  return chain(reader, ['||'], both);
}

function both(reader: TokenReader): SpanSet {
  return chain(reader, ['&&'], related);
}

function related(reader: TokenReader): SpanSet {
  return chain(reader, placed, single);
}

const placed: readonly Relation[] = placements.flatMap((place): Relation[] => [place, `!${place}`, `&${place}`]);

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
  return refuse('traceql.syntax', token.at, 'spans are described in braces', 'for example {status = error}');
}
