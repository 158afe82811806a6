import type { Baseline, Difference, Differences, Region } from '../../../model/contract/differences.ts';
import { entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact, Reader, ResourceFact } from '../../store/facts/reader.ts';
import type { LogIndex } from '../logs/log-index.ts';
import { round } from '../statistics.ts';
import { EntityGraph } from '../topology/entity-graph.ts';
import type { Candidate, Comparison } from './candidate.ts';
import { differenceFilterOf } from './difference-filter.ts';
import { entityDifferences } from './entity-differences.ts';
import { eventDifferences } from './event-differences.ts';
import { falseDiscoveryRates } from './false-discovery.ts';
import { type LogSenders, logDifferences } from './log-differences.ts';
import { differences } from './parameters.ts';
import { peerDifferences } from './peer-differences.ts';
import { histogramReading, pointDifferences } from './point-differences.ts';
import { selectionMembers } from './selection-members.ts';
import { spanDifferences } from './span-differences.ts';

export interface DifferenceQuery {
  readonly region: Region;
  readonly baseline: Baseline;
}

/**
 * Differences between a region and its baseline: values of attributes by frequency, numbers by size, each tested over the
 * independent groups that it comes from (traces, not spans), and reported if the false-discovery rate over all tests stays below
 * one in twenty. The choice of tested values depends on their total frequency on both sides only, so that this bound is valid
 * (R. Bourgon et al., PNAS 107, 2010). Reads only.
 */
export async function findDifferences(
  reader: Reader,
  { region, baseline }: DifferenceQuery,
  logs: () => Promise<LogIndex>,
): Promise<Differences> {
  const [entities, resources] = await Promise.all([reader.entities(), reader.resources()]);
  const filter = differenceFilterOf(region, baseline, selectionMembers(region.entities, entities, resources));
  const isTimed = region.duration_ms === null;
  const parts: Comparison[] = [await spanDifferences(reader, filter, isTimed)];
  // Rows other than spans have neither a duration nor a span name, so they have no side.
  if (isTimed && region.span_name === null) {
    const edges: readonly EdgeFact[] = region.entities.length > 0 ? await reader.edges() : [];
    // A series cannot be on both sides at one time: it is compared with its peers instead.
    const isAmongPeers = baseline.kind === 'beside' && region.entities.length > 0;
    const graph = new EntityGraph(entities, edges, region.start_ns);
    parts.push(isAmongPeers ? await peerDifferences(reader, filter, graph) : await pointDifferences(reader, filter));
    parts.push(await eventDifferences(reader, filter));
    parts.push(logDifferences(await logs(), filter, sendersOf(entities, resources)));
    if (region.entities.length > 1)
      parts.push(entityDifferences(region.entities, { entities, edges, attributes: await reader.entityAttributes() }));
  }
  const passed = mergedDifferences(parts);
  return {
    differences: withLikes(withValues(passed.slice(0, differences.mostDifferences), parts)),
    truncated: passed.length > differences.mostDifferences,
    compared: parts.flatMap(({ compared }) => compared),
    left_out: parts.flatMap(({ left_out }) => left_out),
    baseline: filter.is_rest ? null : { start_ns: filter.baseline_from_ns, end_ns: filter.baseline_to_ns },
  };
}

/**
 * Effect size for sorting, 0 to 1: for shares Cohen's h (J. Cohen, Statistical Power Analysis, 1988) relative to its maximum,
 * because errors that rise from one to six in a thousand matter more than a service that goes from 16 to 14 %; for numbers
 * Cliff's delta, which agrees with it if a share goes from zero to one half or to all.
 */
function strengthOf({ measure, effect, region, baseline }: Candidate): number {
  if (measure === 'number') return Math.abs(effect);
  const angle = (share: number): number => 2 * Math.asin(Math.sqrt(Math.min(1, Math.max(0, share))));
  return Math.abs(angle(region.value) - angle(baseline.value)) / Math.PI;
}

/** Significant ones, by effect size, then by significance. */
function mergedDifferences(parts: readonly Comparison[]): Differences['differences'] {
  const candidates = parts.flatMap((part) => part.candidates);
  const rates = falseDiscoveryRates(candidates.map(({ p }) => p));
  const passed = candidates
    .map((candidate, at) => ({
      ...candidate,
      q: rates[at]!,
      also: [] as string[],
      values: [] as Shared[],
      like: null as string | null,
    }))
    .filter(({ q }) => q <= differences.mostChance)
    .sort(
      // An increase of one value is easier to read than a decrease of all others.
      (a, b) =>
        round(strengthOf(b), 9) - round(strengthOf(a), 9) ||
        b.effect - a.effect ||
        a.q - b.q ||
        plainness(a) - plainness(b) ||
        (a.id < b.id ? -1 : 1),
    );
  return folded(passed);
}

type Shared = Difference['values'][number];
/** Values of an attribute beside the one that differs. */
const MOST_OTHERS = 7;

/** Of each share the most frequent values of its attribute: a value is easier to judge among the others. */
function withValues(passed: Differences['differences'], parts: readonly Comparison[]): Differences['differences'] {
  const shares = parts.flatMap(({ candidates }) => candidates.filter(({ measure }) => measure === 'share'));
  const keyOf = ({ population, attribute }: Candidate): string => `${population} ${attribute}`;
  const toShared = ({ value, region, baseline }: Candidate): Shared => ({
    value,
    region: region.value,
    baseline: baseline.value,
  });
  const frequent = Map.groupBy(shares, keyOf);
  for (const [key, all] of frequent)
    frequent.set(
      key,
      all.toSorted((a, b) => b.region.value + b.baseline.value - a.region.value - a.baseline.value),
    );
  return passed.map((one) => {
    if (one.measure === 'number') return one;
    const others = (frequent.get(keyOf(one)) ?? []).filter(({ id }) => id !== one.id).slice(0, MOST_OTHERS);
    return { ...one, values: [toShared(one), ...others.map(toShared)] };
  });
}

/** Of thirty GPUs whose power fell one leads, and the others are like it. */
function withLikes(passed: Differences['differences']): Differences['differences'] {
  const leads = new Map<string, string>();
  return passed.map((one) => {
    const { population, attribute, measure, entity, effect } = one;
    if (entity === null) return one;
    const key = [population, attribute, measure, entity.slice(0, entity.indexOf(':')), effect > 0].join('\n');
    const like = leads.get(key) ?? null;
    if (like === null) leads.set(key, one.id);
    return { ...one, like };
  });
}

/** The most common of several names of the same rows, the clearest of several readings of a histogram. */
const plainness = ({ attribute, measure }: Candidate): number => {
  if (measure === 'number') return histogramReading(attribute)?.place ?? 9;
  const at = ['service', 'span name', 'log template', 'event type'].indexOf(attribute);
  return at < 0 ? 9 : at;
};

/**
 * A service, its model and its only span name are one difference, and so is the complement: values with equal counts, or with
 * the complementary counts, are reported with the first. The quantiles and the mean of a histogram are one, too.
 */
function folded(passed: readonly Differences['differences'][number][]): Differences['differences'] {
  const first = new Map<string, Differences['differences'][number]>();
  return passed.filter((one) => {
    const { population, measure, region, baseline, attribute, value } = one;
    const reading = measure === 'number' && population === 'metrics' ? histogramReading(attribute) : undefined;
    if (reading) {
      const key = `histogram ${one.entity} ${reading.metric} ${value}`;
      const known = first.get(key);
      if (known) known.also.push(`${attribute} ${value}`);
      else first.set(key, one);
      return known === undefined;
    }
    if (measure === 'number' || region.rows + baseline.rows < differences.leastFoldedRows) return true;
    const key = `${population} ${region.rows} ${baseline.rows}`;
    const left = `${population} ${region.of - region.rows} ${baseline.of - baseline.rows}`;
    const [same, others] = [first.get(key), first.get(left)];
    if (same) same.also.push(`${attribute} ${value}`);
    else if (others) others.also.push(`all but ${attribute} ${value}`);
    else first.set(key, one);
    return !same && !others;
  });
}

export function sendersOf(entities: readonly EntityFact[], resources: readonly ResourceFact[]): LogSenders {
  const byId = new Map(entities.map((one) => [one.entity_id, one]));
  const keys = new Map(
    resources.map(({ resource_id, entity }) => {
      const canonical = byId.get(byId.get(entity)?.canonical_id ?? -1);
      return [resource_id, canonical ? entityKey(canonical.kind, canonical.id) : null] as const;
    }),
  );
  return { entityOf: (resource) => keys.get(resource) ?? null };
}
