import { parseField } from './parse-field.ts';
import { parseTerm } from './parse-term.ts';
import { refuse } from './problem.ts';
import {
  type Field,
  type Measure,
  type MeasureStage,
  measures,
  type OverTime,
  type SeriesMetric,
  type Stage,
  type Term,
} from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

const overTimeNames: Readonly<Record<string, OverTime>> = {
  rate: 'rate',
  ...Object.fromEntries(
    (['count', 'sum', 'min', 'max', 'avg', 'quantile', 'histogram'] as const).map((one) => [`${one}_over_time`, one]),
  ),
};
const behindPipe = `${measures.join(', ')}, by, select, coalesce, a filter in braces, rate, …_over_time or compare`;

/** What may follow `|`, but for a filter in braces. */
export function parseStage(reader: TokenReader): Stage | SeriesMetric {
  const { token } = reader;
  const name = token.kind === 'name' ? token.text : '';
  const measure = measures.find((candidate) => name === candidate);
  if (measure) {
    reader.next();
    return measureStage(reader, measure);
  }
  const over = overTimeNames[name];
  if (over) {
    reader.next();
    return metric(reader, over);
  }
  if (name === 'by' || name === 'select') {
    reader.next();
    return { kind: name, fields: fieldList(reader) };
  }
  if (name === 'coalesce') {
    reader.next();
    reader.expect('(');
    return reader.closed(')', { kind: 'coalesce' } as const);
  }
  return refuse(
    'traceql.unsupported',
    token.at,
    `after | comes ${behindPipe}`,
    'for example {status = error} | count() > 2',
  );
}

/** `(resource.service.name, name)`: fields of which each span has one. */
function fieldList(reader: TokenReader): Field[] {
  reader.expect('(');
  const fields = [field(reader)];
  while (reader.take(',')) fields.push(field(reader));
  return reader.closed(')', fields);
}

function field(reader: TokenReader): Field {
  const { token } = reader;
  reader.countComparison(token.at);
  if (token.kind !== 'name') return refuse('traceql.syntax', token.at, 'expected a field');
  reader.next();
  const found = parseField(token.text, token.at);
  if (found.kind === 'attribute' && !['span', 'resource', 'any'].includes(found.scope))
    return refuse('traceql.unsupported', token.at, 'a span may have several of these');
  if (found.kind === 'intrinsic' && !single.includes(found.name))
    return refuse('traceql.unsupported', token.at, 'this field belongs to no span alone, or is not listed');
  return found;
}

/** Intrinsic fields with one value for each span. */
const single: readonly string[] = [
  ...['name', 'statusMessage', 'duration', 'status', 'kind', 'spanId', 'parentId', 'scopeName', 'scopeVersion'],
];

function measureStage(reader: TokenReader, measure: Measure): MeasureStage {
  reader.expect('(');
  const { at } = reader.token;
  const of = measure === 'count' ? null : parseTerm(reader);
  if (of) checkMeasured(of, at);
  reader.expect(')');
  return { kind: 'measure', measure, of, ...limit(reader, measure, of) };
}

function checkMeasured(of: Term, at: number): void {
  if (of.kind === 'binary') {
    checkMeasured(of.left, at);
    checkMeasured(of.right, at);
  } else if (of.kind === 'intrinsic' && of.name !== 'duration')
    refuse('traceql.type', of.at, 'numbers and durations can be measured', 'for example avg(duration)');
  else if (of.kind === 'attribute' && !['span', 'resource', 'any'].includes(of.scope))
    refuse('traceql.unsupported', of.at, 'a span may have several of these');
  else if (!['intrinsic', 'attribute', 'number', 'duration'].includes(of.kind))
    refuse('traceql.type', of.at, 'numbers and durations can be measured', 'for example avg(duration)');
}

function limit(reader: TokenReader, measure: Measure, of: Term | null): Pick<MeasureStage, 'operator' | 'value'> {
  const { operator, at } = order(reader, measure);
  const value = parseTerm(reader);
  if (value.kind !== 'number' && value.kind !== 'duration')
    return refuse('traceql.syntax', value.at, `${measure} is compared with a number or a duration`);
  const wanted = of === null || of.kind === 'attribute' ? 'number' : of.kind === 'intrinsic' ? 'duration' : value.kind;
  if (value.kind !== wanted)
    refuse(
      'traceql.type',
      value.at,
      `${measure} is compared with a ${wanted}`,
      wanted === 'duration' ? 'write 500ms or 1.5s' : undefined,
    );
  if (!Number.isFinite(value.value)) refuse('traceql.type', at, 'this is no finite number');
  return { operator, value: value.value };
}

function order(reader: TokenReader, what: string) {
  const { at } = reader.token;
  const operator = reader.operator();
  if (operator === undefined || operator === '=~' || operator === '!~')
    return refuse('traceql.syntax', at, `${what} is compared: =, !=, <, <=, > or >=`);
  return { operator, at };
}

function metric(reader: TokenReader, name: OverTime): SeriesMetric {
  reader.expect('(');
  const measured = name === 'rate' || name === 'count' ? null : numeric(reader);
  const quantiles: number[] = [];
  while (name === 'quantile' && reader.take(',')) quantiles.push(quantile(reader));
  if (name === 'quantile' && quantiles.length === 0)
    refuse(
      'traceql.syntax',
      reader.token.at,
      'quantile_over_time needs quantiles',
      'quantile_over_time(duration, .99)',
    );
  reader.expect(')');
  const by = isName(reader, 'by') && reader.next() ? fieldList(reader) : [];
  return { function: name, of: measured, quantiles, by, limit: null, where: null };
}

function numeric(reader: TokenReader): Field {
  const found = field(reader);
  if (found.kind === 'intrinsic' && found.name !== 'duration')
    return refuse('traceql.type', found.at, 'numbers and durations can be measured', 'for example duration');
  return found;
}

function quantile(reader: TokenReader): number {
  const { token } = reader;
  if (token.kind !== 'number' || token.value < 0 || token.value > 1)
    return refuse('traceql.type', token.at, 'a quantile is a number from 0 to 1');
  reader.next();
  return token.value;
}

const isName = (reader: TokenReader, name: string): boolean =>
  reader.token.kind === 'name' && reader.token.text === name;

/** What may follow a metric: `| topk(5)`, `> 10`. */
export function parseMetricEnd(reader: TokenReader, given: SeriesMetric): SeriesMetric {
  const kinds = { topk: 'top', bottomk: 'bottom' } as const;
  let found = given;
  for (;;) {
    const { token } = reader;
    if (reader.take('|')) {
      const { token: named } = reader;
      const kind = named.kind === 'name' ? kinds[named.text as keyof typeof kinds] : undefined;
      if (!kind) return refuse('traceql.unsupported', named.at, 'after a metric comes topk or bottomk');
      reader.next();
      reader.expect('(');
      const { token: count } = reader;
      if (count.kind !== 'number' || !Number.isInteger(count.value) || count.value < 1)
        return refuse('traceql.type', count.at, 'here stands a whole number from 1');
      reader.next();
      reader.expect(')');
      found = { ...found, limit: { kind, count: count.value } };
    } else if (found.where === null && token.kind === 'mark' && /^(=|!=|[<>]=?)$/.test(token.text)) {
      const { operator } = order(reader, 'a metric');
      const value = parseTerm(reader);
      if (value.kind !== 'number' && value.kind !== 'duration')
        return refuse('traceql.syntax', value.at, 'a metric is compared with a number or a duration');
      // Durations are drawn in seconds.
      found = { ...found, where: { operator, value: value.kind === 'duration' ? value.value / 1e9 : value.value } };
    } else return found;
  }
}

/** `with (most_recent=true)`; hints are about how Tempo runs a query, and most mean nothing here. @returns whether the latest come first */
export function parseHints(reader: TokenReader): boolean {
  if (!isName(reader, 'with')) return false;
  reader.next();
  reader.expect('(');
  let isLatestFirst = false;
  do {
    const { token } = reader;
    if (token.kind !== 'name') return refuse('traceql.syntax', token.at, 'expected the name of a hint');
    reader.next();
    reader.expect('=');
    const value = parseTerm(reader);
    if (token.text === 'most_recent') isLatestFirst = value.kind === 'boolean' && value.value;
  } while (reader.take(','));
  return reader.closed(')', isLatestFirst);
}
