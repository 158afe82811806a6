import { secondsToNanos } from '../../../model/local-time.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { type JsonRecord, jsonRecords } from '../bytes/json-records.ts';
import { mayBePart } from '../series-meaning/distribution-assembler.ts';
import { parseValue } from '../series-meaning/parse-value.ts';
import type { PointWriter } from '../series-meaning/point-writer.ts';
import type { ScrapedSeries } from '../series-meaning/scraped.ts';
import { described, SeriesRows } from '../series-meaning/series-rows.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { isExemplars, isResult, looksLikeAnswer, type Result } from './format.ts';
import { nativeHistogram } from './native-histogram.ts';

export const prometheusJson: Source = {
  id: 'prometheus-json',
  title: 'Prometheus query results (JSON)',
  looks_for: 'a JSON object with "status" and "data.resultType", or a list of {"metric", "value" or "values"}',
  leaves_open: ['device'],
  detect: ({ json }) => looksLikeAnswer(json),
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const reader = new AnswerReader(builder, input);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const finish = (): RowBatch => {
    reader.writer.nextBatch();
    return builder.finish(bytes);
  };
  function* rows(work: Generator<void>): Generator<RowBatch> {
    for (const _ of work) if (builder.rowCount >= BATCH_ROWS) yield finish();
  }
  for await (const record of jsonRecords(counted(), ['data.result'])) yield* rows(reader.record(record));
  yield* rows(reader.end());
  if (!reader.isAnswer)
    fail('prometheus_json.wrong_shape', `${input.name} contains no result of a Prometheus query`, {
      place: input.name,
    });
  yield finish();
}

class AnswerReader {
  readonly writer: PointWriter;
  isAnswer = false;
  private scalarTime: unknown;
  /** Members of an exported line, which arrive one by one. */
  private line: Record<string, unknown> = {};
  private count = 0;
  private readonly rows: SeriesRows;
  private readonly builder: BatchBuilder;
  private readonly input: SourceInput;

  constructor(builder: BatchBuilder, input: SourceInput) {
    this.builder = builder;
    this.input = input;
    this.rows = new SeriesRows(
      builder,
      surroundingsOf(input, undefined, (text) => builder.remark(text)),
    );
    this.writer = this.rows.writer;
  }

  /** Writes the distributions whose parts were spread over the file. */
  end(): Generator<void> {
    return this.rows.end();
  }

  /** Yields after every row, so that the caller may end a batch. */
  *record(record: JsonRecord): Generator<void> {
    if (record.reason !== undefined) {
      this.builder.reject(this.input.name, record.at, record.reason, record.excerpt);
      return;
    }
    const { path, value, at } = record;
    if (path === 'status' || path === 'data.resultType') this.isAnswer = true;
    else if (path === 'error') this.refuse(value);
    else if (path === 'warnings' || path === 'infos') this.passOn(value);
    else if (path === 'data' && Array.isArray(value)) yield* this.exemplars(value, at);
    else if (path === 'data.result' && !isResult(value)) yield* this.scalarPart(value, at);
    else if (path === '' || path === 'data.result') yield* this.result(value, at);
    else if (path === 'metric' || path === 'values' || path === 'timestamps') {
      this.line[path] = value;
      if (!('metric' in this.line && 'values' in this.line && 'timestamps' in this.line)) return;
      yield* this.result(this.line, at);
      this.line = {};
    }
  }

  private refuse(message: unknown): never {
    return fail('prometheus_json.error', `the query in ${this.input.name} failed: ${String(message)}`, {
      place: this.input.name,
    });
  }

  private passOn(texts: unknown): void {
    if (Array.isArray(texts)) for (const text of texts) this.builder.remark(`Prometheus reports: ${String(text)}`);
  }

  /** A scalar is a list of a time and a value, which arrive one after the other. */
  private *scalarPart(value: unknown, at: number): Generator<void> {
    if (this.scalarTime === undefined) this.scalarTime = value;
    else {
      yield* this.pairs({ metric: {} }, [[this.scalarTime, value]], at);
      this.scalarTime = undefined;
    }
  }

  private *result(value: unknown, at: number): Generator<void> {
    if (!isResult(value)) {
      this.builder.reject(this.input.name, at, 'a result without "metric"', excerpt(value));
      return;
    }
    this.isAnswer = true;
    yield* this.native(value, at);
    if (Array.isArray(value.timestamps) && Array.isArray(value.values)) {
      const { timestamps, values } = value;
      const pairs = timestamps.map((time, i) => [typeof time === 'number' ? time / 1000 : time, values[i] as unknown]);
      yield* this.pairs(value, pairs, at);
    } else if (Array.isArray(value.values)) yield* this.pairs(value, value.values, at);
    else if (Array.isArray(value.value)) yield* this.pairs(value, [value.value], at);
    else if (!('histogram' in value || 'histograms' in value))
      this.builder.reject(this.input.name, at, 'a result without "value" or "values"', excerpt(value));
  }

  private *pairs({ metric }: Result, pairs: readonly unknown[], at: number): Generator<void> {
    const name = metric['__name__'];
    if (typeof name === 'string' && mayBePart(name, (label) => typeof metric[label] === 'string')) {
      yield* this.parts(metric, pairs, at);
      return;
    }
    const key = String(this.count++);
    for (const pair of pairs) {
      const read = this.sample(pair, at);
      if (read) this.writer.point(key, () => this.describe(metric), read.time_ns, read.value);
      yield;
    }
  }

  /** A series that may belong to a histogram or summary waits for the others of it. */
  private *parts(metric: Result['metric'], pairs: readonly unknown[], at: number): Generator<void> {
    const time_ns = new BigInt64Array(pairs.length);
    const value: number[] = [];
    for (const pair of pairs) {
      const read = this.sample(pair, at);
      if (!read) continue;
      time_ns[value.length] = read.time_ns;
      value.push(read.value);
    }
    const { name, labels } = this.describe(metric);
    yield* this.rows.parts({ name, labels, scope: '' }, { time_ns: time_ns.subarray(0, value.length), value });
  }

  private sample(pair: unknown, at: number): { readonly time_ns: Nanos; readonly value: number } | undefined {
    const [time, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const time_ns = timeOf(time);
    const number = numberOf(value);
    if (time_ns !== undefined && number !== undefined) return { time_ns, value: number };
    this.builder.reject(this.input.name, at, 'a value without a time or a number', excerpt(pair));
    return undefined;
  }

  private *native({ metric, histogram, histograms }: Result, at: number): Generator<void> {
    const key = String(this.count++);
    // Without a name it is what an expression made of histograms, such as a rate: it does not accumulate.
    const type = typeof metric['__name__'] === 'string' ? 'histogram' : 'gaugehistogram';
    for (const pair of Array.isArray(histograms)
      ? (histograms as unknown[])
      : histogram === undefined
        ? []
        : [histogram]) {
      const [time, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
      const time_ns = timeOf(time);
      const read = nativeHistogram(value);
      if (time_ns === undefined || !read)
        this.builder.reject(
          this.input.name,
          at,
          'a native histogram without a time, a count or buckets',
          excerpt(pair),
        );
      else
        this.writer.distribution(key, () => ({ ...this.describe(metric), type }), read.kind, {
          ...read,
          time_ns,
          start_ns: 0n,
        });
      yield;
    }
  }

  private *exemplars(found: readonly unknown[], at: number): Generator<void> {
    for (const one of found) {
      if (!isExemplars(one)) {
        this.builder.reject(this.input.name, at, 'exemplars without "seriesLabels"', excerpt(one));
        continue;
      }
      this.isAnswer = true;
      const series = this.describe(one.seriesLabels);
      const key = String(this.count++);
      for (const exemplar of one.exemplars) {
        const { labels: own, value, timestamp } = (exemplar ?? {}) as Record<string, unknown>;
        const time_ns = timeOf(timestamp);
        const number = numberOf(value);
        if (time_ns === undefined || number === undefined)
          this.builder.reject(this.input.name, at, 'an exemplar without a time or a number', excerpt(exemplar));
        else {
          const texts = new Map(Object.entries(own ?? {}).map(([label, text]) => [label, String(text)]));
          this.rows.exemplar(key, series, { time_ns, value: number, labels: texts });
        }
        yield;
      }
    }
  }

  private describe(metric: Readonly<Record<string, unknown>>): ScrapedSeries {
    const labels = new Map(
      Object.entries(metric).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
    );
    let name = labels.get('__name__') ?? '';
    labels.delete('__name__');
    if (name === '') {
      name = this.input.name.replace(/^.*\//, '').replace(/\.json(\..+)?$/, '');
      this.builder.remark(`results without a metric name are called "${name}" (the file's name)`);
    }
    return described(name, labels);
  }
}

function timeOf(value: unknown): Nanos | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  try {
    // Prometheus stores milliseconds; a double has at most microseconds.
    return nanos((secondsToNanos(value.toFixed(6)) / 1000n) * 1000n);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  return parseValue(value);
}

function excerpt(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').slice(0, 500);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
