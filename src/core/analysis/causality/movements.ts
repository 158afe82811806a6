import { entityKey } from '../../../model/entity.ts';
import type { MetricShiftFact, Reader } from '../../store/facts/reader.ts';
import type { NumberChange } from '../evidence/numbers.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { studentTail } from '../software/significance.ts';
import { median } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';

/** What one number of a machine did while a service suffered. */
export interface Movement {
  /** The machine, PDU or other thing that it tells of. */
  readonly machine: number;
  readonly moved: boolean;
  /** It stayed where it was, whatever its peers did: what moves with them may be held up by one of them. */
  readonly still: boolean;
  /** It had more work than before: load does that, and no fault. */
  readonly busier: boolean;
  readonly change: NumberChange;
  readonly refs: readonly string[];
}

/** The most telling number of each machine; machines without numbers are not there. */
export type Movements = ReadonlyMap<number, Movement>;

export const NO_MOVEMENTS: Movements = new Map();

/** As much before the last normal measurement, however long ago, is the baseline; a window is looked at this long at least. */
const BASELINE_NS = 600_000_000_000n;
const LEAST_WINDOW_NS = 60_000_000_000n;
const MOST_SERIES = 5000;

export async function readMovements(reader: Reader, graph: EntityGraph, window: ImpactWindow): Promise<Movements> {
  const { previous_ns, onset_earliest_ns: from, end_ns } = window;
  const to = end_ns - from < LEAST_WINDOW_NS ? from + LEAST_WINDOW_NS : end_ns;
  const phases = {
    before_from_ns: previous_ns - BASELINE_NS,
    before_to_ns: previous_ns,
    window_from_ns: from,
    window_to_ns: to + 1n,
  };
  return movementsOf(await reader.metricShifts(phases, MOST_SERIES), graph, window.service);
}

/** Power and utilisation rise with work. */
const WORK = /\bpower\b|utili[sz]ation|\bload\b/;
/** A change that nobody would draw a line for is none, however sure. */
const LEAST_CHANGE = 0.08;
/** So unlikely by chance, over all machines looked at. */
const CHANCE = 0.01;
/** Fewer peers do not tell what is usual. */
const LEAST_PEERS = 2;

/**
 * Which machines did something during the window that their peers did not: power, clocks, temperatures, whatever was
 * measured of them. Each series is compared with its own baseline in robust deviations, less the median of the same metric
 * on the service's other machines (of all machines where these are few): load moves all machines of a service alike, a
 * brake or a fault moves its own. Student's t by the points of the baseline, corrected for the series looked at.
 */
export function movementsOf(facts: readonly MetricShiftFact[], graph: EntityGraph, service: number): Movements {
  const own = new Set(graph.machinesOfService(service));
  const readings = facts.flatMap((fact): Reading[] => {
    const node = graph.node(fact.entity);
    if (!node || node.layer === 'service' || fact.spread <= 0) return [];
    const [machine] = graph.machinesOf(fact.entity);
    const z = (fact.window_median - fact.before_median) / fact.spread;
    return machine === undefined ? [] : [{ fact, machine, z, isOwn: own.has(machine) }];
  });
  const found = new Map<number, Movement & { readonly t: number }>();
  for (const group of Map.groupBy(readings, ({ fact }) => `${fact.metric} ${fact.attributes}`).values())
    for (const reading of group) {
      const movement = judge(reading, group, graph);
      const known = found.get(reading.machine);
      if (movement && !(known && known.t >= movement.t)) found.set(reading.machine, movement);
    }
  return found;
}

interface Reading {
  readonly fact: MetricShiftFact;
  readonly machine: number;
  /** Robust deviations by which it left its baseline. */
  readonly z: number;
  readonly isOwn: boolean;
}

function judge(
  reading: Reading,
  group: readonly Reading[],
  graph: EntityGraph,
): (Movement & { readonly t: number }) | undefined {
  const { fact, machine, z } = reading;
  const others = group.filter((one) => one.machine !== machine);
  const near = others.filter(({ isOwn }) => isOwn && reading.isOwn);
  const peers = near.length >= LEAST_PEERS ? near : others;
  const peerMedian = peers.length >= LEAST_PEERS ? median(peers.map((peer) => peer.z)) : 0;
  const freedom = Math.max(1, fact.before_points - 1);
  // What stays where it was while its peers fall did nothing.
  const excess = Math.sign(z) === Math.sign(z - peerMedian) ? Math.min(Math.abs(z), Math.abs(z - peerMedian)) : 0;
  const t = excess / Math.sqrt(1 + 1 / fact.before_points);
  const changeOf = (deviations: number) => (deviations * fact.spread) / Math.max(Math.abs(fact.before_median), 1e-9);
  const changed = changeOf(excess) >= LEAST_CHANGE && 2 * studentTail(t, freedom) * group.length < CHANCE;
  const still = changeOf(Math.abs(z)) < LEAST_CHANGE;
  const busier = changed && z > 0 && WORK.test(fact.metric);
  const moved = changed && !busier;
  const node = graph.node(fact.entity);
  const change: NumberChange = {
    metric: fact.metric,
    unit: fact.unit,
    on: node?.id ?? '?',
    before: fact.before_median,
    after: fact.window_median,
    isChanged: changed,
    isComparedWithPeers: changed ? peers.length >= LEAST_PEERS : Math.abs(z) > 3,
  };
  return { machine, moved, still, busier, change, t, refs: node ? [`entity:${entityKey(node.kind, node.id)}`] : [] };
}
