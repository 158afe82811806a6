import type { Phases } from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import type { ServiceDeviation } from './deviation.ts';
import { movesWith, type SeriesField } from './moves-with.ts';
import { software } from './parameters.ts';

type Kind = 'latency' | 'errors' | 'throughput';

interface Ground {
  readonly facts: {
    readonly measurements: ReadonlyMap<number, Measurements>;
    readonly phases: Phases;
    readonly sufferer?: number | undefined;
  };
  readonly deviations: ReadonlyMap<number, ServiceDeviation>;
}

/**
 * How much a change of a service matters to the affected service, from {@link software.unlikeShare} to 1: as much as it moves
 * with what the affected service suffers from. 1 if the affected service is unknown, or too little is measured.
 */
export const relevance = (kind: Kind, deviation: ServiceDeviation, ground: Ground): number =>
  kind === 'throughput' ? 1 : software.unlikeShare + (1 - software.unlikeShare) * alike(kind, deviation, ground);

/** How much latency or errors of a service move with what the affected service suffers from, whichever do so more, 0 to 1. */
export const likeness = (deviation: ServiceDeviation, ground: Ground): number =>
  Math.max(0, ...sufferedKinds(deviation).map(({ kind }) => alike(kind, deviation, ground)));

function alike(kind: Kind, { service, latency }: ServiceDeviation, { facts, deviations }: Ground): number {
  const { sufferer, measurements, phases } = facts;
  const theirs = sufferer === undefined ? undefined : deviations.get(sufferer);
  const [mine, other] = [measurements.get(service), theirs && measurements.get(theirs.service)];
  if (!theirs || !mine || !other || service === sufferer) return 1;
  const range = {
    from_ns: earlier(phases.before_from_ns, phases.window_from_ns),
    to_ns: later(phases.before_to_ns, phases.window_to_ns),
  };
  const mineField = fieldOf(kind, latency);
  const suffered = sufferedKinds(theirs);
  const total = suffered.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const { kind: theirKind, weight } of suffered) {
    const moves = movesWith([other, fieldOf(theirKind, theirs.latency)], [mine, mineField], range);
    const coupled = theirKind === kind ? 1 : theirKind === 'errors' ? software.timeoutShare : software.retryShare;
    sum += (weight / total) * coupled * (Number.isNaN(moves) ? 1 : Math.max(0, moves));
  }
  return suffered.length === 0 ? 1 : sum;
}

/** What a service suffers from, each with its log-odds. */
function sufferedKinds(deviation: ServiceDeviation) {
  const latency = deviation.latency === null ? 0 : (deviation.latencies[deviation.latency]?.weight ?? 0);
  return [
    { kind: 'latency' as const, weight: latency },
    { kind: 'errors' as const, weight: deviation.errors?.weight ?? 0 },
  ].filter(({ weight }) => weight > 0);
}

const fieldOf = (kind: Kind, latency: ServiceDeviation['latency']): SeriesField =>
  kind === 'latency' ? (latency ?? 'p99') : kind === 'errors' ? 'error_rate' : 'throughput';

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
