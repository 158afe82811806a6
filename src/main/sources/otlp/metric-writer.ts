import { type TableBuilder, TextBuilder } from '../../../model/rows/batch-builder.ts';
import { AttributeText } from './attribute-text.ts';
import { appendAscii, appendByte, appendCount, appendDouble } from './json-text.ts';
import type { KnownSeries, MetricIdentity } from './known-series.ts';
import type { Output } from './output.ts';

/** Places of the 64-bit fields of a data point and its exemplar in {@link MetricWriter.u64}. */
export const POINT = {
  start: 0,
  time: 1,
  exemplarTime: 2,
  exemplarTraceHigh: 3,
  exemplarTraceLow: 4,
  exemplarSpan: 5,
} as const;

/** OTLP `DataPointFlags`: the series went stale; the point is a gap. */
const NO_RECORDED_VALUE = 1;

/** One side of an exponential histogram, or the buckets of an explicit one: JSON numbers with commas. */
export class NumberList {
  readonly text = new TextBuilder();

  clear(): void {
    this.text.length = 0;
  }

  /** Makes ready for one more number. */
  next(): TextBuilder {
    if (this.text.length > 0) appendByte(this.text, 0x2c);
    return this.text;
  }

  appendTo(target: TextBuilder): void {
    target.appendBytes(this.text.bytes.subarray(0, this.text.length));
  }
}

/**
 * One data point of any of the five kinds under construction (OTLP metrics.proto); see {@link SpanWriter} for
 * the protocol. Exemplars are rows at once and learn their series when the point is committed.
 */
export class MetricWriter {
  readonly u64 = new BigUint64Array(6);
  readonly i64 = new BigInt64Array(this.u64.buffer);
  readonly halves = new Uint32Array(this.u64.buffer);
  value = Number.NaN;
  count = 0;
  sum = Number.NaN;
  min = Number.NaN;
  max = Number.NaN;
  flags = 0;
  scale = 0;
  zeroCount = 0;
  zeroThreshold = 0;
  positiveOffset = 0;
  negativeOffset = 0;
  /** Explicit bounds, or quantiles as `[q,v]`. */
  readonly bounds = new NumberList();
  /** Bucket counts; of an exponential histogram those of the positive side. */
  readonly counts = new NumberList();
  readonly negativeCounts = new NumberList();
  readonly attributes = new AttributeText();
  exemplarValue = Number.NaN;
  readonly exemplarAttributes = new AttributeText();
  private readonly scratch = new TextBuilder();
  private readonly out: Output;
  private identity!: MetricIdentity;
  private metric = -1;
  private generation = -1;
  private points!: TableBuilder<'point'>;
  private distributions!: TableBuilder<'distribution'>;
  private exemplars!: TableBuilder<'exemplar'>;
  private firstExemplar = 0;
  /** What {@link recall} answered for this point. */
  private recalled = -1;

  constructor(out: Output) {
    this.out = out;
    this.bind();
  }

  beginMetric(identity: MetricIdentity): void {
    this.identity = identity;
    this.metric = this.out.metricOf(identity);
  }

  beginPoint(): void {
    if (this.generation !== this.out.generation) {
      this.bind();
      this.metric = this.out.metricOf(this.identity);
    }
    this.halves.fill(0);
    this.value = Number.NaN;
    this.count = 0;
    this.sum = Number.NaN;
    this.min = Number.NaN;
    this.max = Number.NaN;
    this.flags = 0;
    this.scratch.length = 0;
    this.attributes.begin(this.scratch);
    this.recalled = -1;
    this.firstExemplar = this.exemplars.count;
    const { kind } = this.identity;
    if (kind !== 'gauge' && kind !== 'sum') this.beginDistribution();
  }

  beginExemplar(): void {
    this.halves.fill(0, POINT.exemplarTime * 2);
    this.exemplarValue = Number.NaN;
    this.exemplarAttributes.begin(this.exemplars.columns.attributes);
  }

  commitExemplar(): void {
    const row = this.exemplars.next();
    const columns = this.exemplars.columns;
    columns.time_ns[row] = this.i64[POINT.exemplarTime]!;
    columns.value[row] = this.exemplarValue;
    columns.trace_hi[row] = this.u64[POINT.exemplarTraceHigh]!;
    columns.trace_lo[row] = this.u64[POINT.exemplarTraceLow]!;
    columns.span_id[row] = this.u64[POINT.exemplarSpan]!;
    this.exemplarAttributes.end();
    columns.attributes.endRow();
  }

  /**
   * Whether a point of this metric had these very bytes as attributes in this batch; if not, they have to be rendered
   * into {@link attributes}.
   */
  recall(bytes: Uint8Array, start: number, end: number): boolean {
    this.recalled = this.out.recall(this.metric, bytes, start, end);
    return this.out.recalledSeries(this.recalled) >= 0;
  }

  private series(): number {
    const known = this.recalled < 0 ? -1 : this.out.recalledSeries(this.recalled);
    if (known >= 0) return known;
    this.attributes.end();
    const series = this.out.seriesOf(this.metric, this.identity, this.scratch);
    if (this.recalled >= 0) this.out.remember(this.recalled, series);
    return series;
  }

  /** Why the point cannot be kept; '' when it was. */
  commit(): string {
    const { halves } = this;
    if ((halves[2]! | halves[3]!) === 0) return 'data point without a time';
    if ((halves[1]! | halves[3]!) >>> 31 === 1) return 'data point time is out of range';
    const number = this.series();
    const translated = this.out.translated(number);
    const series = translated?.series ?? number;
    const { kind } = this.identity;
    if (kind === 'gauge' || kind === 'sum') this.commitNumber(series, translated?.known);
    else this.commitDistribution(series);
    const columns = this.exemplars.columns;
    for (let row = this.firstExemplar; row < this.exemplars.count; row++) columns.series[row] = series;
    return '';
  }

  rollback(): void {
    this.exemplars.truncate(this.firstExemplar);
  }

  private commitNumber(series: number, known: KnownSeries | undefined): void {
    const isGap = (this.flags & NO_RECORDED_VALUE) !== 0;
    const value = isGap || !known ? this.value : known.value(this.value);
    if (value === undefined) return;
    const row = this.points.next();
    const columns = this.points.columns;
    columns.series[row] = series;
    columns.start_ns[row] = this.i64[POINT.start]!;
    columns.time_ns[row] = this.i64[POINT.time]!;
    columns.value[row] = isGap ? Number.NaN : value;
  }

  private commitDistribution(series: number): void {
    const row = this.distributions.next();
    const columns = this.distributions.columns;
    const gap = (this.flags & NO_RECORDED_VALUE) !== 0;
    columns.series[row] = series;
    columns.start_ns[row] = this.i64[POINT.start]!;
    columns.time_ns[row] = this.i64[POINT.time]!;
    columns.count[row] = gap ? Number.NaN : this.count;
    columns.sum[row] = gap ? Number.NaN : this.sum;
    columns.min[row] = gap ? Number.NaN : this.min;
    columns.max[row] = gap ? Number.NaN : this.max;
    if (!gap) this.appendDetail(columns.detail);
    columns.detail.endRow();
  }

  private appendDetail(detail: TextBuilder): void {
    switch (this.identity.kind) {
      case 'summary':
        appendAscii(detail, '{"quantiles":[');
        this.bounds.appendTo(detail);
        return appendAscii(detail, ']}');
      case 'exponential_histogram':
        return this.appendExponential(detail);
      default:
        appendAscii(detail, '{"bounds":[');
        this.bounds.appendTo(detail);
        appendAscii(detail, '],"counts":[');
        this.counts.appendTo(detail);
        appendAscii(detail, ']}');
    }
  }

  private appendExponential(detail: TextBuilder): void {
    appendAscii(detail, `{"scale":${this.scale},"zero_count":`);
    appendCount(detail, this.zeroCount);
    appendAscii(detail, ',"zero_threshold":');
    appendDouble(detail, this.zeroThreshold);
    appendAscii(detail, `,"positive":{"offset":${this.positiveOffset},"counts":[`);
    this.counts.appendTo(detail);
    appendAscii(detail, `]},"negative":{"offset":${this.negativeOffset},"counts":[`);
    this.negativeCounts.appendTo(detail);
    appendAscii(detail, ']}}');
  }

  private beginDistribution(): void {
    this.scale = 0;
    this.zeroCount = 0;
    this.zeroThreshold = 0;
    this.positiveOffset = 0;
    this.negativeOffset = 0;
    this.bounds.clear();
    this.counts.clear();
    this.negativeCounts.clear();
  }

  private bind(): void {
    this.generation = this.out.generation;
    this.points = this.out.batch.table('point');
    this.distributions = this.out.batch.table('distribution');
    this.exemplars = this.out.batch.table('exemplar');
  }
}
