import { attributesText } from '../../../model/rows/records.ts';
import type { SeriesRow } from '../../../model/rows/rows.ts';
import { mayBeKnown, meaningOf } from '../series-meaning/meaning.ts';
import type { Relation, ScrapedSeries, ScrapedType, Subject } from '../series-meaning/scraped.ts';
import { isServing } from '../series-meaning/serving.ts';
import { type NamedEntity, parseAttributes, type ResourceMeaning } from './resources.ts';

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

/** The entity of a series whose attributes name none: that of its resource. */
const UNNAMED: Subject = { kind: 'device', id: '' };

type Resource = Pick<ResourceMeaning, 'host' | 'scraped' | 'subject'>;

const NO_RESOURCE: Resource = { host: '', scraped: undefined, subject: undefined };
const MOST_REMEMBERED = 50_000;
/** Longer texts are read anew each time. */
const LONGEST_REMEMBERED = 4096;
/** Every batch registers its series anew, and most are the same as before: cached per thread, by the resource. */
let remembered = new WeakMap<Resource, Map<string, KnownSeries | null>>();
let count = 0;

function seriesOfResource(resource: Resource): Map<string, KnownSeries | null> {
  if (count >= MOST_REMEMBERED) {
    remembered = new WeakMap();
    count = 0;
  }
  let series = remembered.get(resource);
  if (!series) {
    series = new Map();
    remembered.set(resource, series);
  }
  return series;
}

/**
 * What the tables of exporters know of a series, and the labels of a page that the collector scraped; undefined: it keeps its name, unit and values.
 * @param pointAttributes JSON object text of the point's attributes
 * @param resource of the series; undefined: none
 * @param stated `unknown` where the container does not keep whether a series only grows; absent: as the kind has it
 */
export function knownSeries(
  identity: MetricIdentity,
  pointAttributes: string,
  resource: Resource | undefined,
  stated?: ScrapedType,
): KnownSeries | undefined {
  const isDistribution = identity.kind !== 'gauge' && identity.kind !== 'sum';
  const mayKnow = isDistribution ? isServing(identity.metric) : mayBeKnown(identity.metric);
  if (!mayKnow && resource?.scraped === undefined) return undefined;
  const series = seriesOfResource(resource ?? NO_RESOURCE);
  const { metric, kind, unit, monotonic, description } = identity;
  const key = `${stated ?? ''} ${kind} ${monotonic} ${unit}\n${metric}\n${description}\n${pointAttributes}`;
  let known = series.get(key);
  if (known === undefined) {
    known = readSeries({ identity, pointAttributes, resource, mayKnow, stated }) ?? null;
    if (key.length > LONGEST_REMEMBERED) return known ?? undefined;
    series.set(key, known);
    count++;
  }
  return known ?? undefined;
}

interface SeriesOfResource {
  readonly identity: MetricIdentity;
  readonly pointAttributes: string;
  readonly resource: Resource | undefined;
  /** Whether a table may have the name. */
  readonly mayKnow: boolean;
  readonly stated: ScrapedType | undefined;
}

function readSeries({
  identity,
  pointAttributes,
  resource,
  mayKnow,
  stated,
}: SeriesOfResource): KnownSeries | undefined {
  const { kind, metric: name, unit, description: help } = identity;
  const isDistribution = kind !== 'gauge' && kind !== 'sum';
  const isScraped = resource?.scraped !== undefined;
  const attributes = parseAttributes(pointAttributes);
  const labels = new Map(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const ofKind = isDistribution ? 'histogram' : kind === 'sum' && identity.monotonic ? 'counter' : 'gauge';
  const series: ScrapedSeries = { name, labels, type: stated ?? ofKind, unit, help };
  // A service is not the machine that it was scraped from, unless it is an exporter of the machine.
  const host = mayKnow ? resource?.host || resource?.scraped || undefined : undefined;
  const meaning = meaningOf(series, { host, fallback: () => UNNAMED });
  if (!meaning.isKnown && !isScraped) return undefined;
  // Without a machine or a UUID an index or address names a GPU of any machine.
  if (meaning.subject.kind === 'gpu' && /^(?:gpu\d+|pci-.*|\/.*)$/.test(meaning.subject.id)) return undefined;
  const isChanged = meaning.metric !== name || meaning.unit !== unit;
  const kept = Object.entries(attributes).filter(([key]) => Object.hasOwn(meaning.attributes, key));
  return {
    metric: meaning.metric,
    unit: isDistribution ? meaning.recordedUnit : meaning.unit,
    description: isChanged ? meaning.description : help,
    counter: meaning.counter,
    relations: meaning.relations,
    // As recorded: a limit stays a number.
    attributes: { ...meaning.attributes, ...Object.fromEntries(kept) },
    subject: isOfResource(meaning.subject, resource) ? null : meaning.subject,
    value: meaning.value,
  };
}

/** The attributes name nothing, or only the machine of a resource that is about something on it. */
const isOfResource = ({ kind, id }: Subject, resource: Parameters<typeof knownSeries>[2]): boolean =>
  id === '' || (kind === 'server' && id === resource?.host && resource.subject?.kind !== 'service');

export const namedOf = ({ kind, id, aliases = [], attributes = {} }: Subject): NamedEntity => ({
  kind,
  id,
  aliases,
  attributes: attributesText(attributes),
});
