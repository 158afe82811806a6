import type { CallFact } from '../../store/facts/reader.ts';
import type { CallPaths } from './call-paths.ts';
import { deviationOf, extentOf, foldsOf, latencyOf, type ServiceDeviation } from './deviation.ts';
import { software } from './parameters.ts';
import { likeness } from './relevance.ts';
import type { TracedFacts } from './ways-to.ts';

/**
 * Calls of services that record no spans while others do: their own calls could not be recorded. A service that they do not
 * answer, that got worse when they did and by more, may be behind them, for a fault is diluted on its way up. One per service,
 * the worst.
 */
export function supposedCalls(
  facts: TracedFacts,
  deviations: ReadonlyMap<number, ServiceDeviation>,
  paths: CallPaths,
): CallFact[] {
  if (facts.own.size === 0) return [];
  const worse = [...deviations.values()].filter((one) => deviationOf(one) >= software.notableOdds);
  return worse.flatMap((own): CallFact[] => {
    const caller = own.service;
    if (facts.own.has(caller) || paths.callees(caller).length > 0) return [];
    const above = paths.above(caller);
    const ground = { facts: { ...facts, sufferer: caller }, deviations };
    const [best] = worse
      .filter((other) => !above.has(other.service) && mayDelay(other, own))
      .filter((other) => likeness(other, ground) >= software.supposedLikeness)
      .toSorted((a, b) => extentOf(b) - extentOf(a) || a.service - b.service);
    return best ? [{ caller, callee: best.service }] : [];
  });
}

/**
 * A fault is diluted on its way up, but for one: who waits too long for an answer gives up, and fails where the other one is only slow. So
 * errors do not count against a caller whose requests take no longer than those of the other.
 */
function mayDelay(other: ServiceDeviation, own: ServiceDeviation): boolean {
  if (extentOf(other) >= software.supposedTimes * extentOf(own)) return true;
  const isLonger = (latencyOf(other)?.after ?? 0) >= (latencyOf(own)?.after ?? Number.POSITIVE_INFINITY);
  return isLonger && foldsOf(other) >= software.supposedTimes * foldsOf(own);
}
