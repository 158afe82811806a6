import type { Phases } from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { deviationOf, extentOf, type ServiceDeviation } from './deviation.ts';
import { software } from './parameters.ts';
import { likeness } from './relevance.ts';
import type { ServiceVerdict } from './service-suspects.ts';

/**
 * Share of a service's latency and errors that begins in each other service: along the calls, every service passes on the share
 * that its callees explain. Empty if the service shows neither. A rise that chance may explain shows of others that they are behind
 * it, but not that it began in the service itself.
 */
export function responsibilities(
  sufferer: number,
  verdicts: ReadonlyMap<number, ServiceVerdict>,
): ReadonlyMap<number, number> {
  const own = deviationOf(verdicts.get(sufferer)?.deviation);
  if (own <= 0) return new Map();
  const begins = passedOn(new Map([[sufferer, 1]]), verdicts);
  if (own <= software.believedOdds) begins.delete(sufferer);
  return begins;
}

/** Where shares of a degradation begin, if every service passes on what its callees explain. */
export function passedOn(
  shares: ReadonlyMap<number, number>,
  verdicts: ReadonlyMap<number, ServiceVerdict>,
): Map<number, number> {
  const begins = new Map<number, number>();
  let frontier = shares;
  for (let hop = 0; hop < software.mostHops && frontier.size > 0; hop++) {
    const next = new Map<number, number>();
    for (const [service, part] of frontier) {
      let remainingShare = part;
      for (const [callee, share] of verdicts.get(service)?.shares ?? []) {
        if (part * share < software.leastFollowedShare) continue;
        remainingShare -= part * share;
        next.set(callee, (next.get(callee) ?? 0) + part * share);
      }
      begins.set(service, (begins.get(service) ?? 0) + Math.max(0, remainingShare));
    }
    frontier = next;
  }
  return begins;
}

interface Facts {
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly phases: Phases;
}

/**
 * The same where no calls were recorded: by how far each service that degrades as this one does is from its baseline. A fault is diluted on its way up, because callers do other work besides and catch some errors.
 * Empty if the service shows neither, or is the only one.
 */
export function sharesWithoutCalls(
  sufferer: number,
  verdicts: ReadonlyMap<number, ServiceVerdict>,
  facts: Facts,
): ReadonlyMap<number, number> {
  const own = verdicts.get(sufferer)?.deviation;
  if (!own || deviationOf(own) <= software.believedOdds || verdicts.size < 2) return new Map();
  const deviations = new Map([...verdicts.values()].map(({ deviation }) => [deviation.service, deviation]));
  const parts = [...deviations.values()].flatMap((one): [number, number][] => {
    const part = sizeOf(one) * likeness(one, { facts: { ...facts, sufferer }, deviations });
    return part > 0 ? [[one.service, part]] : [];
  });
  const total = parts.reduce((sum, [, part]) => sum + part, 0);
  return new Map(parts.map(([service, part]) => [service, part / total]));
}

const sizeOf = (deviation: ServiceDeviation): number =>
  deviationOf(deviation) >= software.notableOdds ? extentOf(deviation) : 0;
