import { entityKey } from '../../../model/entity.ts';
import { hasCodes, risesWithWork } from '../../../model/telemetry/metric.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { MetricShiftFact, Reader } from '../../store/facts/reader.ts';
import type { NumberChange } from '../evidence/numbers.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { impact } from '../impact/parameters.ts';
import { studentTail } from '../software/significance.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { causality } from './parameters.ts';
import { PeerReadings } from './peer-readings.ts';

/** Change of one metric of a machine during an impact. */
export interface Movement {
  /** The machine, PDU or other entity of the metric. */
  readonly machine: number;
  readonly moved: boolean;
  /** It did not change, whatever its peers did: entities that change with their peers may be delayed by one of them. */
  readonly still: boolean;
  /** It had more load than before, which is no fault. */
  readonly busier: boolean;
  readonly change: NumberChange;
  readonly refs: readonly string[];
}

/** The most significant metric of each machine with metrics. */
export type Movements = ReadonlyMap<number, Movement>;

export const NO_MOVEMENTS: Movements = new Map();

export async function readMovements(reader: Reader, graph: EntityGraph, window: ImpactWindow): Promise<Movements> {
  const { previous_ns, onset_earliest_ns: from, end_ns } = window;
  const least = nanoseconds(causality.movementWindowSeconds);
  const to = end_ns - from < least ? from + least : end_ns;
  const phases = {
    before_from_ns: previous_ns - nanoseconds(impact.baselineSeconds),
    before_to_ns: previous_ns,
    window_from_ns: from,
    window_to_ns: to + 1n,
  };
  return movementsOf(await reader.metricShifts(phases, causality.mostSeries), graph, window.service);
}

/**
 * Machines with metrics that changed during the window unlike their peers: power, clocks, temperatures or others. Each series
 * is compared with its own baseline in robust deviations, minus the median of the same metric on the service's other machines
 * (on all machines if these are few): load changes all machines of a service, a brake or a fault only its own. Student's t by
 * the points of the baseline, corrected for the number of series.
 */
export function movementsOf(facts: readonly MetricShiftFact[], graph: EntityGraph, service: number): Movements {
  const own = new Set(graph.machinesOfService(service));
  const readings = facts.flatMap((fact): Reading[] => {
    const node = graph.node(fact.entity);
    if (!node || node.layer === 'service' || fact.spread <= 0 || hasCodes(fact.metric)) return [];
    const [machine] = graph.machinesOf(fact.entity);
    const z = (fact.window_median - fact.before_median) / fact.spread;
    return machine === undefined ? [] : [{ fact, machine, z, isOwn: own.has(machine) }];
  });
  const kept = upperQuartile(readings.map(({ fact }) => fact.window_points / fact.before_points));
  const found = new Map<number, Movement & { readonly t: number }>();
  for (const group of Map.groupBy(readings, ({ fact }) => `${fact.metric} ${fact.attributes}`).values()) {
    const all = new PeerReadings(group);
    const near = new PeerReadings(group.filter(({ isOwn }) => isOwn));
    for (const reading of group) {
      const isNear = reading.isOwn && near.countWithout(reading.machine) >= causality.leastPeers;
      const movement = judge(reading, isNear ? near : all, { graph, kept, compared: group.length });
      const known = found.get(reading.machine);
      if (movement && !(known && known.t >= movement.t)) found.set(reading.machine, movement);
    }
  }
  return found;
}

interface Reading {
  readonly fact: MetricShiftFact;
  readonly machine: number;
  /** Distance from its baseline in robust deviations. */
  readonly z: number;
  readonly isOwn: boolean;
}

interface Comparison {
  readonly graph: EntityGraph;
  /** Share of their points that most series have during the window. */
  readonly kept: number;
  /** Series of the same metric. */
  readonly compared: number;
}

function judge(
  reading: Reading,
  peers: PeerReadings,
  { graph, kept, compared }: Comparison,
): (Movement & { readonly t: number }) | undefined {
  const { fact, machine, z } = reading;
  const hasPeers = peers.countWithout(machine) >= causality.leastPeers;
  const peerMedian = hasPeers ? peers.medianWithout(machine) : 0;
  const freedom = Math.max(1, fact.before_points - 1);
  // A metric that stays while its peers fall did not change.
  const excess = Math.sign(z) === Math.sign(z - peerMedian) ? Math.min(Math.abs(z), Math.abs(z - peerMedian)) : 0;
  const t = excess / Math.sqrt(1 + 1 / fact.before_points);
  const changeOf = (deviations: number) => (deviations * fact.spread) / Math.max(Math.abs(fact.before_median), 1e-9);
  const changed =
    changeOf(excess) >= causality.leastChangeShare && 2 * studentTail(t, freedom) * compared < causality.movementChance;
  // A machine without power has no more samples: the last ones do not show that nothing happened.
  const hasStopped = fact.window_points / fact.before_points < causality.stoppedShare * kept;
  const still = !hasStopped && changeOf(Math.abs(z)) < causality.leastChangeShare;
  const busier = changed && z > 0 && risesWithWork(fact.metric, fact.unit);
  const moved = changed && !busier;
  const node = graph.node(fact.entity);
  const change: NumberChange = {
    metric: fact.metric,
    unit: fact.unit,
    on: node?.id ?? '?',
    before: fact.before_median,
    after: fact.window_median,
    isChanged: changed,
    isComparedWithPeers: changed ? hasPeers : Math.abs(z) > causality.movedDeviations,
  };
  return { machine, moved, still, busier, change, t, refs: node ? [`entity:${entityKey(node.kind, node.id)}`] : [] };
}

/** Points of a series during the window by those before, as most series have it: both phases may be cut by the recording. */
const upperQuartile = (shares: readonly number[]): number =>
  shares.toSorted((a, b) => a - b)[Math.floor(0.75 * (shares.length - 1))] ?? 0;
