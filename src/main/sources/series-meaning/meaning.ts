import { convertUnit } from '../../../base/convert-unit.ts';
import { isMetricName, metrics } from '../../../model/telemetry/metric.ts';
import type { Reading } from '../nvidia/reading.ts';
import { exporters } from './exporters/all.ts';
import type { Exported, Exporter, StatedHealth } from './exporters/exporter.ts';
import { genericNaming, gpuNaming } from './naming.ts';
import { rankRelations } from './rank-relations.ts';
import type { Naming, ScrapedSeries, Subject, Surroundings } from './scraped.ts';
import { unitOf } from './unit-of.ts';

/** A series as a Faultline metric. */
export interface Meaning extends Naming {
  readonly metric: string;
  /** Whether an exporter's tables know the series. */
  readonly isKnown: boolean;
  readonly unit: string;
  /** Unit of the recorded numbers, which the bounds of a distribution keep. */
  readonly recordedUnit: string;
  /** Of the recorded number, in `unit`; undefined: it repeats what another series of the same component states. */
  readonly value: (recorded: number) => number | undefined;
  readonly description: string;
  readonly counter: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** Health of a component that the labels state: each point is one of its `hw.status`, too. */
  readonly health: StatedHealth | undefined;
}

/** `_total` and the parts of histograms only grow; for other names it is unknown. */
const grows = (name: string, labels: ReadonlyMap<string, string>): boolean =>
  /_total$/.test(name) ||
  (/_bucket$/.test(name) && labels.has('le')) ||
  /_(seconds|milliseconds|microseconds|ms|bytes|tokens)_(sum|count)$/.test(name);

/** OTLP joins words by dots where Prometheus has underscores. */
const underscored = (name: string): string => name.replace(/[./-]/g, '_');

function exportedOf({ name, labels, unit }: ScrapedSeries): Exported {
  const isPlain = [...labels.keys()].every((key) => underscored(key) === key);
  return {
    name: underscored(name),
    labels: isPlain ? labels : new Map([...labels].map(([key, value]) => [underscored(key), value])),
    unit,
  };
}

const MOST_NAMES = 20_000;
const owned = new Map<string, boolean>();

/** Whether an exporter may know what a series of this name is: most names of OTLP are in no table. */
export function mayBeKnown(name: string): boolean {
  let isOwned = owned.get(name);
  if (isOwned === undefined) {
    const written = underscored(name);
    isOwned = exporters.some(({ owns }) => owns(written));
    if (owned.size >= MOST_NAMES) owned.clear();
    owned.set(name, isOwned);
  }
  return isOwned;
}

const ownerOf = (series: Exported): Exporter | undefined =>
  exporters.find(({ owns, writes }) => owns(series.name) && (writes?.(series) ?? true));

/** Metric, entity and number format of a series, whatever container carried it. */
export function meaningOf(series: ScrapedSeries, surroundings: Surroundings): Meaning {
  const { name, labels, type } = series;
  const exported = exportedOf(series);
  const owner = ownerOf(exported);
  const reading = owner?.reading(exported);
  const naming = namingOf(exported, owner, surroundings);
  const recordedUnit = reading?.unit ?? unitOf(name, series.unit);
  const agreed = reading && isMetricName(reading.metric) ? reading.metric : undefined;
  const convertible = agreed !== undefined && convertUnit(1, recordedUnit, metrics[agreed].unit) !== undefined;
  const unit = convertible ? metrics[agreed].unit : recordedUnit;
  const counter = agreed
    ? metrics[agreed].kind === 'counter'
    : type === 'counter' || (reading?.counter ?? (type === 'unknown' && grows(name, labels)));
  return {
    ...naming,
    isKnown: owner !== undefined,
    // A unit that does not convert would make the common name wrong.
    metric: reading && (agreed === undefined || convertible || type === 'histogram') ? reading.metric : name,
    unit,
    recordedUnit,
    value: reading?.value ?? ((recorded) => convertUnit(recorded, recordedUnit, unit) ?? recorded),
    description: agreed && convertible ? metrics[agreed].description : series.help,
    counter,
    attributes: attributesOf(labels, naming, reading),
    health: owner?.health?.(exported, surroundings),
  };
}

/** Who a series is about; one that names nothing and so went to the caller's fallback is reported. */
function namingOf(exported: Exported, owner: Exporter | undefined, surroundings: Surroundings): Naming {
  let given: Subject | undefined;
  const asked: Surroundings = {
    ...surroundings,
    fallback: () => {
      given ??= surroundings.fallback();
      return given;
    },
  };
  const naming = owner?.naming(exported, asked) ?? unknownNaming(exported, asked);
  // A GPU by number, or a port, is named within it.
  const { id } = naming.subject;
  if (given && (id === given.id || id.startsWith(`${given.id}/`))) surroundings.onUnnamed?.(exported.name);
  const ranks = rankRelations(exported.name, exported.labels, naming.subject);
  return ranks.length === 0 ? naming : { ...naming, relations: [...naming.relations, ...ranks] };
}

function unknownNaming({ name, labels }: Exported, surroundings: Surroundings): Naming {
  const isOfGpu = labels.has('gpu_uuid') || labels.has('UUID') || /^\d{1,3}$/.test(labels.get('gpu') ?? '');
  const gpu = isOfGpu ? gpuNaming(name, labels, surroundings) : undefined;
  return gpu ?? genericNaming(labels, surroundings);
}

/** Labels that still distinguish the series, sorted: exporters and servers do not agree on an order. */
function attributesOf(
  labels: ScrapedSeries['labels'],
  { used }: Naming,
  reading: Reading | undefined,
): Record<string, string> {
  const attributes: Record<string, string> = { ...reading?.attributes };
  for (const key of [...labels.keys()].sort()) {
    const value = labels.get(key);
    const plain = underscored(key);
    if (value && !used.has(plain) && !reading?.dropped?.includes(plain)) attributes[key] = value;
  }
  return attributes;
}
