import { convertUnit } from '../../../base/convert-unit.ts';
import { attributesText } from '../../../model/rows/records.ts';
import type { SeriesRow } from '../../../model/rows/rows.ts';
import { isMetricName, metrics } from '../../../model/telemetry/metric.ts';
import { meaningOf } from '../series-meaning/meaning.ts';
import type { Relation, ScrapedSeries, Subject } from '../series-meaning/scraped.ts';
import { type Attributes, type NamedEntity, parseAttributes } from './resources.ts';

/** A metric within its resource and scope: what its data points have in common. */
export type MetricIdentity = Pick<
  SeriesRow,
  'metric' | 'kind' | 'unit' | 'description' | 'temporality' | 'monotonic'
> & {
  /** Pairs of JSON text that become series attributes beside the point's own: `"otel.metric.k":v`. */
  readonly metadata: string;
};

/** A series of numbers under the name and unit on which all importers agree. */
export interface KnownSeries {
  readonly metric: string;
  readonly unit: string;
  readonly description: string;
  readonly counter: boolean;
  /** Attributes that still distinguish the series. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** null: the entity that the attributes or the resource name as for any other series. */
  readonly subject: Subject | null;
  readonly relations: readonly Relation[];
  /** The value in this unit; undefined: the point repeats what another series of the same component states. */
  value(recorded: number): number | undefined;
}

/** Exporters whose names a collector keeps when it scrapes them. */
const SCRAPED = /^(?:DCGM_|dcgm_|nvidia_smi_|node_hwmon_|node_rapl_|node_thermal_|ipmi_|gpu_throttle_|gpu_memory_)/;

/** States of `hw.status` in the hardware conventions of OpenTelemetry, as values of our own `hw.status`. */
const states: Readonly<Record<string, number>> = {
  ok: 0,
  degraded: 1,
  predicted_failure: 1,
  needs_cleaning: 1,
  failed: 2,
};

/** The entity of a series whose attributes name none: that of its resource. */
const UNNAMED: Subject = { kind: 'device', id: '' };

/**
 * undefined: the series keeps its name, unit and values.
 * @param pointAttributes JSON object text of the point's attributes
 * @param host '': the resource names no machine
 */
export function knownSeries(identity: MetricIdentity, pointAttributes: string, host: string): KnownSeries | undefined {
  const { metric, kind } = identity;
  if (kind !== 'gauge' && kind !== 'sum') return undefined;
  if (!isMetricName(metric) && !SCRAPED.test(metric)) return undefined;
  const attributes = parseAttributes(pointAttributes);
  if (metric === 'hw.status' && typeof attributes['hw.state'] === 'string') return stateSeries(identity, attributes);
  if (isMetricName(metric)) return converted(identity, attributes);
  return scraped(identity, attributes, host);
}

/**
 * The convention has a series per state with 1 for the state that holds; here a component has one series with its state as value.
 * Points of 0 repeat what the state that holds states.
 */
function stateSeries({ description }: MetricIdentity, attributes: Attributes): KnownSeries {
  const { 'hw.state': state, ...rest } = attributes;
  const code = Object.hasOwn(states, String(state)) ? states[String(state)] : undefined;
  // A state that the convention does not list has no severity: kept under a name of its own.
  if (code === undefined)
    return { ...same('hw.status.state', '1', description), attributes, value: (recorded) => recorded };
  return {
    ...same('hw.status', '1', metrics['hw.status'].description),
    attributes: rest,
    value: (recorded) => (recorded === 0 ? undefined : code),
  };
}

const same = (metric: string, unit: string, description: string) =>
  ({ metric, unit, description, counter: false, subject: null, relations: [] }) as const;

/** Our unit of the same dimension: the convention has shares of 1 where devices report percent. */
function converted(
  { metric, unit, description, kind }: MetricIdentity,
  attributes: Attributes,
): KnownSeries | undefined {
  const wanted = isMetricName(metric) ? metrics[metric].unit : unit;
  if (wanted === unit || convertUnit(1, unit, wanted) === undefined) return undefined;
  return {
    ...same(metric, wanted, description),
    counter: kind === 'sum',
    attributes,
    value: (recorded) => convertUnit(recorded, unit, wanted),
  };
}

function scraped(identity: MetricIdentity, attributes: Attributes, host: string): KnownSeries | undefined {
  const labels = new Map(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const series: ScrapedSeries = {
    name: identity.metric,
    labels,
    type: identity.kind === 'sum' && identity.monotonic ? 'counter' : 'gauge',
    unit: identity.unit === '' || identity.unit === '1' ? '' : identity.unit,
    help: identity.description,
  };
  const meaning = meaningOf(series, { host: host === '' ? undefined : host, fallback: () => UNNAMED });
  // Without a machine or a UUID an index or address names a GPU of any machine.
  if (meaning.subject.kind === 'gpu' && /^(?:gpu\d+|pci-.*|\/gpu)$/.test(meaning.subject.id)) return undefined;
  const { metric, unit, recordedUnit, description, counter, relations } = meaning;
  return {
    metric,
    unit,
    description,
    counter,
    relations,
    attributes: meaning.attributes,
    subject: meaning.subject.id === '' ? null : meaning.subject,
    value: (recorded) => convertUnit(recorded, recordedUnit, unit) ?? recorded,
  };
}

export const namedOf = ({ kind, id, aliases = [], attributes = {} }: Subject): NamedEntity => ({
  kind,
  id,
  aliases,
  attributes: attributesText(attributes),
});
