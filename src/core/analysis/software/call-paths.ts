import type { CallFact } from '../../store/facts/reader.ts';
import { stronglyConnected } from '../topology/strongly-connected.ts';
import { software } from './parameters.ts';

/** Call graph of the measured services; a call through unmeasured services counts as one. */
export interface CallPaths {
  callees(service: number): readonly number[];
  callers(service: number): readonly number[];
  /** The service itself and everything it calls, at any depth. */
  below(service: number): ReadonlySet<number>;
  /** The service itself and everything that calls it, at any depth. */
  above(service: number): ReadonlySet<number>;
  /** Whether two services call each other, directly or in a cycle. */
  circular(a: number, b: number): boolean;
}

export function callPaths(calls: readonly CallFact[], measured: ReadonlySet<number>): CallPaths {
  const direct = new Map<number, number[]>();
  for (const { caller, callee } of calls)
    if (caller !== callee) direct.set(caller, [...(direct.get(caller) ?? []), callee]);
  const down = new Map<number, number[]>();
  const up = new Map<number, number[]>();
  for (const service of measured) {
    const reached = measuredBelow(service, direct, measured);
    down.set(service, reached);
    for (const callee of reached) up.set(callee, [...(up.get(callee) ?? []), service]);
  }
  const services = [...measured];
  const place = new Map(services.map((service, i) => [service, i]));
  const circle = stronglyConnected(
    services.map((service) => (down.get(service) ?? []).map((one) => place.get(one) ?? 0)),
  );
  const circleOf = (service: number) => circle[place.get(service) ?? -1];
  return {
    callees: (service) => down.get(service) ?? [],
    callers: (service) => up.get(service) ?? [],
    below: (service) => closure(service, down),
    above: (service) => closure(service, up),
    circular: (a, b) => circleOf(a) !== undefined && circleOf(a) === circleOf(b),
  };
}

function measuredBelow(
  from: number,
  direct: ReadonlyMap<number, readonly number[]>,
  measured: ReadonlySet<number>,
): number[] {
  const seen = new Set([from]);
  const found: number[] = [];
  let frontier = [from];
  for (let hop = 0; hop <= software.mostUnmeasured && frontier.length > 0; hop++) {
    const next: number[] = [];
    for (const callee of frontier.flatMap((service) => direct.get(service) ?? [])) {
      if (seen.has(callee)) continue;
      seen.add(callee);
      (measured.has(callee) ? found : next).push(callee);
    }
    frontier = next;
  }
  return found;
}

function closure(from: number, edges: ReadonlyMap<number, readonly number[]>): Set<number> {
  const reached = new Set([from]);
  for (const service of reached) for (const next of edges.get(service) ?? []) reached.add(next);
  return reached;
}
