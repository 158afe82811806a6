import { jsonMembers } from '../../../base/json-members.ts';
import type { EntityKind } from '../../../model/entity.ts';
import type { DifferenceFilter, PeerFact, Reader } from '../../store/facts/reader.ts';
import { rankLimit } from '../software/significance.ts';
import { median } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { type Candidate, type Comparison, numberCandidate } from './candidate.ts';
import { rankTest } from './number-test.ts';
import { differences } from './parameters.ts';
import { readingOf } from './point-differences.ts';
import { shareFor } from './span-differences.ts';
import { spreadOfValues } from './spread.ts';

/** Metrics of the region's entities compared with all others of their kinds, at the same time. */
export async function peerDifferences(
  reader: Reader,
  groups: DifferenceFilter,
  graph: EntityGraph,
): Promise<Comparison> {
  const counts = await reader.pointCounts(groups);
  if (counts.region === 0) return { candidates: [], compared: [], left_out: [] };
  const shares = {
    region: shareFor(counts.region, differences.mostPoints),
    baseline: shareFor(counts.baseline, differences.mostPoints),
  };
  const facts = await reader.peers(groups, shares);
  const { candidates, left_out } = comparePeers(facts, (entity, kind) =>
    kind === 'service' || kind === 'job' ? entity : graph.machineOf(entity),
  );
  const examinedShares = { region_share: 1 / shares.region, baseline_share: 1 / shares.baseline };
  return {
    candidates,
    compared: [{ population: 'metrics', ...counts, ...examinedShares, tested: candidates.length }],
    left_out,
  };
}

/** Group number: GPUs of one machine have common cooling and load. */
type ClusterOf = (entity: number, kind: EntityKind) => number;

/** An entity with its measurements. */
interface Level {
  readonly entity: number;
  readonly inside: boolean;
  readonly cluster: number;
  readonly value: number;
}

/**
 * Rank test with one value per machine and side (number-test.ts); an entity without a machine counts alone. From every machine
 * the same number of entities is drawn: a single GPU compared with the median of seven of another machine would be further out
 * by chance alone.
 */
export function comparePeers(
  facts: readonly PeerFact[],
  clusterOf: ClusterOf,
): Pick<Comparison, 'candidates' | 'left_out'> {
  const candidates: Candidate[] = [];
  const left_out: Comparison['left_out'][number][] = [];
  const byMetric = Map.groupBy(facts, ({ kind, metric, unit, reading }) => [kind, metric, unit, reading].join('\n'));
  for (const sisters of byMetric.values())
    for (const [labels, series] of byLabels(sisters)) {
      const { kind, ...named } = series[0]!;
      const levels = levelsOf(series, clusterOf);
      const [region, baseline] = [levels.filter(({ inside }) => inside), levels.filter(({ inside }) => !inside)];
      if (region.length === 0) continue;
      const { attribute, unit } = readingOf(named);
      const value = labels === '' ? kind : `${kind} (${labels})`;
      const reason = tooFew(kind, region, baseline);
      if (reason !== null) left_out.push({ attribute: `${attribute} of ${value}`, reason });
      else {
        const ranks = ranksOf(region, baseline);
        const candidate = numberCandidate({ population: 'metrics', attribute, value }, unit, ranks);
        candidates.push({
          ...candidate,
          p: ranks.p,
          across: kind,
          region: { ...candidate.region, ...sideOf(region) },
          baseline: { ...candidate.baseline, ...sideOf(baseline) },
        });
      }
    }
  return { candidates, left_out };
}

/** Grouped by the attributes that distinguish series of one entity (such as the CPU mode), without those that name the entity. */
function byLabels(series: readonly PeerFact[]): Map<string, PeerFact[]> {
  const known = new Map(series.map((one) => [one, attributesOf(one)]));
  const comparableMetrics = new Set<string>();
  const first = new Map<string, unknown>();
  for (const [{ entity }, attributes] of known)
    for (const [name, value] of Object.entries(attributes)) {
      const key = `${entity} ${name}`;
      if (!first.has(key)) first.set(key, value);
      else if (first.get(key) !== value) comparableMetrics.add(name);
    }
  const names = [...comparableMetrics].sort();
  return Map.groupBy(series, (one) => {
    const attributes = known.get(one) ?? {};
    return names.flatMap((name) => (name in attributes ? [`${name}=${attributes[name]}`] : [])).join(', ');
  });
}

const attributesOf = ({ attributes }: PeerFact): Record<string, unknown> => {
  const all = jsonMembers(attributes);
  return Object.fromEntries(Object.entries(all).filter(([, value]) => typeof value !== 'object'));
};

/** One value per entity: the mean where several sources measured it. */
function levelsOf(series: readonly PeerFact[], clusterOf: ClusterOf): Level[] {
  return [...Map.groupBy(series, ({ entity }) => entity)].map(([entity, own]) => {
    const { inside, kind } = own[0]!;
    const value = own.reduce((sum, one) => sum + one.value, 0) / own.length;
    return { entity, inside, cluster: clusterOf(entity, kind), value };
  });
}

const clustersOf = (side: readonly Level[]): readonly (readonly Level[])[] => [
  ...Map.groupBy(side, ({ cluster }) => cluster).values(),
];

const sideOf = (side: readonly Level[]) => ({
  rows: side.length,
  of: side.length,
  value: median(side.map(({ value }) => value)),
});

/** Reason why ranks cannot be compared; null: they can. */
function tooFew(kind: EntityKind, region: readonly Level[], baseline: readonly Level[]): string | null {
  if (baseline.length === 0) return `no other ${kind} recorded it in this time`;
  const [own, others] = [clustersOf(region).length, clustersOf(baseline).length];
  if (2 * rankLimit(own, others) <= differences.mostChance) return null;
  const words = (side: readonly Level[], clusters: number): string =>
    clusters === side.length
      ? `${side.length}`
      : `${side.length} of ${clusters} ${clusters === 1 ? 'machine' : 'machines'}`;
  return `too few for a rank test: ${words(region, own)} against ${words(baseline, others)}`;
}

function ranksOf(region: readonly Level[], baseline: readonly Level[]) {
  const groups = [clustersOf(region), clustersOf(baseline)] as const;
  const fewest = Math.min(...groups.flat().map(({ length }) => length));
  const [own, others] = groups.map((clusters) => clusters.map((values) => median(drawn(values, fewest)))) as [
    number[],
    number[],
  ];
  const spread = spreadOfValues(
    region.map(({ value }) => value),
    baseline.map(({ value }) => value),
  );
  return { ...rankTest(own, others), spread, region_median: median(own), baseline_median: median(others) };
}

/** A reproducible random selection: the first ones of each machine may share a position. */
const drawn = (all: readonly Level[], count: number): number[] =>
  (all.length === count ? all : all.toSorted((a, b) => lot(a.entity) - lot(b.entity)).slice(0, count)).map(
    ({ value }) => value,
  );

/** Pseudo-random number (the finaliser of MurmurHash3, A. Appleby, public domain). */
function lot(key: number): number {
  let mixed = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
