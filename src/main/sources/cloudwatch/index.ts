import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample, type NewSample } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { asList, asNumber, asObject, asText, type Json, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { cloudInstance } from '../cloud/cloud-instance.ts';
import { cloudTime } from '../cloud/cloud-time.ts';

/** CloudWatch: answers of GetMetricData and GetMetricStatistics, and the JSON lines of a metric stream. */
export const cloudwatch: Source = {
  id: 'cloudwatch',
  title: 'CloudWatch metrics (GetMetricData, GetMetricStatistics, metric streams)',
  looks_for: 'CloudWatch JSON: MetricDataResults, Datapoints with a Label, or metric_stream_name',
  leaves_open: ['device'],
  detect: ({ object }) =>
    Array.isArray(object.MetricDataResults) ||
    (Array.isArray(object.Datapoints) && 'Label' in object) ||
    'metric_stream_name' in object,
  read,
};

/** Metrics of EC2 that have a common name; all others keep their own, with the unit that CloudWatch gives. */
const known: Readonly<Record<string, MetricName>> = {
  CPUUtilization: 'system.cpu.utilization',
  StatusCheckFailed: 'cloud.status_check.failed',
  StatusCheckFailed_Instance: 'cloud.status_check.failed',
  StatusCheckFailed_System: 'cloud.status_check.failed',
};
/** CloudWatch's unit words as UCUM. */
const units: Readonly<Record<string, string>> = {
  Percent: '%',
  Bytes: 'By',
  'Bytes/Second': 'By/s',
  Seconds: 's',
  Milliseconds: 'ms',
  Microseconds: 'us',
  Count: '1',
  'Count/Second': '1/s',
  None: '1',
};
/** Which statistic represents a period; a failed check in it is a failed check. */
const statistics = ['Average', 'Maximum', 'Sum', 'Minimum', 'SampleCount'];

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const reader = new MetricReader(input);
  let done = 0;
  for await (const record of jsonRecords(input.chunks)) {
    done = record.at;
    if (record.reason !== undefined) reader.builder.reject(input.name, record.at, record.reason, record.excerpt);
    else {
      const problem = reader.read(asObject(record.value));
      if (problem !== '') reader.builder.reject(input.name, record.at, problem, rawText(record.value).slice(0, 500));
    }
    if (reader.builder.rowCount >= BATCH_ROWS) yield reader.builder.finish(done);
  }
  yield reader.builder.finish(done);
}

class MetricReader {
  readonly builder = new BatchBuilder();
  private readonly input: SourceInput;

  constructor(input: SourceInput) {
    this.input = input;
  }

  read(object: Json): string {
    if (Array.isArray(object.MetricDataResults)) return this.results(object.MetricDataResults);
    if (Array.isArray(object.Datapoints)) return this.datapoints(asText(object.Label), object.Datapoints);
    return 'metric_stream_name' in object ? this.streamed(object) : 'no CloudWatch metrics';
  }

  private results(results: readonly unknown[]): string {
    for (const one of results.map(asObject)) {
      const label = asText(one.Label);
      const times = asList(one.Timestamps);
      asList(one.Values).forEach((value, i) => {
        this.sample({
          label: `${label} ${asText(one.Id)}`,
          metric: metricIn(label),
          unit: '',
          time: times[i],
          value,
          statistic: '',
        });
      });
    }
    return '';
  }

  private datapoints(label: string, points: readonly unknown[]): string {
    for (const point of points.map(asObject)) {
      const statistic = statistics.find((name) => typeof point[name] === 'number');
      if (statistic)
        this.sample({
          label,
          metric: metricIn(label),
          unit: asText(point.Unit),
          time: point.Timestamp,
          value: point[statistic],
          statistic,
        });
    }
    return '';
  }

  private streamed(object: Json): string {
    const { sum, count, max } = asObject(object.value);
    const samples = asNumber(count);
    const total = asNumber(sum);
    if (samples === undefined || total === undefined || samples <= 0) return 'a streamed metric without a value';
    const metric = asText(object.metric_name);
    const value = metric.startsWith('StatusCheck') ? (asNumber(max) ?? total) : total / samples;
    const { InstanceId } = asObject(object.dimensions);
    this.sample({
      label: asText(InstanceId),
      metric,
      unit: asText(object.unit),
      time: object.timestamp,
      value,
      statistic: 'Average',
      dimensions: asObject(object.dimensions),
    });
    return '';
  }

  private sample(one: {
    readonly label: string;
    readonly metric: string;
    readonly unit: string;
    readonly time: unknown;
    readonly value: unknown;
    readonly statistic: string;
    readonly dimensions?: Json;
  }): void {
    const time = cloudTime(one.time);
    const value = asNumber(one.value);
    if (time === undefined || value === undefined)
      return this.builder.reject(this.input.name, 0, 'a data point without a time or a value', rawText(one));
    const name = Object.hasOwn(known, one.metric) ? known[one.metric] : undefined;
    const metric: NewSample['metric'] = name ?? {
      name: `cloudwatch.${one.metric || 'unnamed'}`,
      unit: units[one.unit] ?? one.unit,
    };
    const { InstanceId: _, ...dimensions } = one.dimensions ?? {};
    appendSample(this.builder, {
      entity: this.entityOf(one.label),
      metric,
      time_ns: time,
      value: name === 'cloud.status_check.failed' ? (value > 0 ? 1 : 0) : value,
      attributes: {
        check: name === 'cloud.status_check.failed' ? one.metric : undefined,
        statistic: one.statistic || undefined,
        ...dimensions,
      },
    });
  }

  /** Responses do not repeat the requested dimensions: the instance id is from the label, file name or investigator. */
  private entityOf(label: string): number {
    const found = /\bi-[0-9a-f]{8,17}\b/.exec(`${label} ${this.input.assume.device ?? ''} ${this.input.name}`)?.[0];
    const id = found ?? this.input.assume.device;
    if (id) return cloudInstance(this.builder, id);
    this.builder.remark('the metrics do not name their instance: give it as the device');
    return -1;
  }
}

/** `CPUUtilization`, `i-0abc CPUUtilization`, `EC2 i-0abc NetworkIn`: the word that is a metric's name. */
const metricIn = (label: string): string =>
  label.split(/\s+/).find((word) => /^[A-Z][A-Za-z_]+[a-z]\w*$/.test(word) && word !== 'EC2') ?? label.trim();
