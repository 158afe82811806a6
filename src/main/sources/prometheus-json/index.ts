import { secondsToNanos } from '../../../model/local-time.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { type JsonRecord, jsonRecords } from '../bytes/json-records.ts';
import { PointWriter } from '../series-meaning/point-writer.ts';
import type { ScrapedSeries } from '../series-meaning/scraped.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { isResult, looksLikeAnswer, type Result } from './format.ts';

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
  for await (const record of jsonRecords(counted(), ['data.result'])) {
    for (const _ of reader.record(record)) if (builder.rowCount >= BATCH_ROWS) yield finish();
  }
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
  private readonly builder: BatchBuilder;
  private readonly input: SourceInput;

  constructor(builder: BatchBuilder, input: SourceInput) {
    this.builder = builder;
    this.input = input;
    this.writer = new PointWriter(
      builder,
      surroundingsOf(input, undefined, (text) => builder.remark(text)),
    );
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
    if ('histogram' in value || 'histograms' in value)
      this.builder.reject(this.input.name, at, 'native histograms are not read', excerpt(value.metric));
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
    const key = String(this.count++);
    for (const pair of pairs) {
      const [time, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
      const time_ns = timeOf(time);
      const number = numberOf(value);
      if (time_ns === undefined || number === undefined)
        this.builder.reject(this.input.name, at, 'a value without a time or a number', excerpt(pair));
      else this.writer.point(key, () => this.describe(metric), time_ns, number);
      yield;
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
    return { name, labels, type: 'unknown', unit: '', help: '' };
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
  if (/^[+-]?Inf$/.test(value)) return value.startsWith('-') ? -Infinity : Infinity;
  if (value === 'NaN') return Number.NaN;
  const number = Number(value);
  return value.trim() === '' || Number.isNaN(number) ? undefined : number;
}

function excerpt(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').slice(0, 500);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
