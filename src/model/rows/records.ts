import { isMetricName, type MetricName, metrics } from '../telemetry/metric.ts';
import type { EdgeKind } from '../topology.ts';
import type { BatchBuilder } from './batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from './rows.ts';

/** JSON object text for an `attributes` column; undefined members are left out, nothing left is ''. */
export function attributesText(attributes: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== '');
  if (known.length === 0) return '';
  try {
    return JSON.stringify(Object.fromEntries(known));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(Object.fromEntries(known.map(([name, value]) => [name, shallow(value)])));
  }
}

/** An `attributes` column as an object; {} where it holds none. */
export function readAttributes(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Values nested too deeply are marked. */
function shallow(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return 'nests too deeply to be kept';
  }
}

export interface NewSample {
  /** From `builder.entity`; -1: belongs to nothing that has a name. */
  readonly entity: number;
  /** One of `metrics`, already in its unit; or the recording's own name, then with `unit`. */
  readonly metric:
    | MetricName
    | {
        readonly name: string;
        readonly unit: string;
        readonly description?: string;
        /** Only ever grows, but for resets. */
        readonly counter?: boolean;
      };
  readonly time_ns: bigint;
  /** NaN: explicitly not measured, a gap. */
  readonly value: number;
  /** For counters: start time, if recorded. */
  readonly start_ns?: bigint;
  /** Attributes that distinguish series of the same metric on the same entity: phase, sensor name, limits in force. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** One measured value of a series. */
export function appendSample(builder: BatchBuilder, sample: NewSample): void {
  const { metric } = sample;
  const own = typeof metric === 'string' ? undefined : metric;
  const name = typeof metric === 'string' ? metric : metric.name;
  const known = isMetricName(name) ? metrics[name] : undefined;
  const counts = known ? known.kind === 'counter' : (own?.counter ?? false);
  builder.table('point').push({
    series: builder.series({
      metric: name,
      kind: counts ? 'sum' : 'gauge',
      entity: sample.entity,
      resource: -1,
      unit: own?.unit ?? known?.unit ?? '',
      description: own?.description ?? known?.description ?? '',
      temporality: counts ? 2 : 0,
      monotonic: counts,
      attributes: attributesText(sample.attributes ?? {}),
    }),
    start_ns: sample.start_ns ?? 0n,
    time_ns: sample.time_ns,
    value: sample.value,
  });
}

/** A typed link; without times it is always valid. `provenance` is its origin: `netbox cable`. */
export function appendEdge(
  builder: BatchBuilder,
  edge: {
    readonly from: number;
    readonly kind: EdgeKind;
    readonly to: number;
    readonly provenance: string;
    readonly valid_from_ns?: bigint;
    readonly valid_to_ns?: bigint;
  },
): void {
  builder.table('edge').push({
    from_entity: edge.from,
    kind: builder.name(edge.kind),
    to_entity: edge.to,
    valid_from_ns: edge.valid_from_ns ?? ALWAYS_FROM,
    valid_to_ns: edge.valid_to_ns ?? ALWAYS_TO,
    provenance: builder.name(edge.provenance),
  });
}
