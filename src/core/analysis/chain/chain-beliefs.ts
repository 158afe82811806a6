import type { EventFact } from '../../store/facts/reader.ts';
import type { Candidate } from '../ranking/candidates.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { waitingJob } from '../ranking/waiting-job.ts';
import { chain } from './parameters.ts';

/**
 * Calibration of link beliefs on the chains of the corpus: belief does not decide between several links of one family (a cap
 * brings about a brake, and so does the failover before it), so it is overconfident. `npm run bench -- --only corpus` prints the
 * error of each split.
 */
function calibrated(belief: number): number {
  const odds = Math.log(belief / (1 - belief));
  const bounded = Math.max(-chain.mostBeliefOdds, Math.min(chain.mostBeliefOdds, odds));
  return 1 / (1 + Math.exp(-(chain.beliefSlope * bounded + chain.beliefOffset)));
}

/** Calibrated probability of a link of a chain, 0 to 1; null without a cause or a known mechanism. */
export function linkBelief(cause: EventFact | undefined, effect: EventFact, context: IncidentContext): number | null {
  if (!cause) return null;
  const link = context.links.causesOf(effect).find((one) => one.cause === cause);
  const belief = link ? context.belief(link) : context.explainedBy(cause).get(effect);
  return belief === undefined ? null : calibrated(belief);
}

/**
 * Probability that the events of a chain did the harm, 0 to 1, against all other harmful events on the infrastructure of the
 * service; null if none of them is known to harm it.
 *
 * @param physical probability that the cause is a device at all rather than software, 0 to 1
 */
export function harmBelief(members: readonly Candidate[], context: IncidentContext, physical: number): number | null {
  const { graph } = context.input;
  const inChain = new Set(members.flatMap(({ event }) => [event.entity, ...graph.machinesOf(event.entity)]));
  const own = 1 - members.reduce((spared, { event }) => spared * (1 - context.directHarm(event)), 1);
  if (own === 0) return null;
  const waiting = new Set(members.map(({ event }) => waitingJob(event, graph)).filter((job) => job !== undefined));
  const isWaitedFor = (event: EventFact): boolean => {
    const job = waitingJob(event, graph);
    return job !== undefined && waiting.has(job);
  };
  // Other events on a machine of the chain belong to the same fault; other ranks that the job waits for are named with the first one.
  const others = context
    .harmful()
    .filter(({ event }) => !isWaitedFor(event))
    .filter(({ event }) => ![event.entity, ...graph.machinesOf(event.entity)].some((one) => inChain.has(one)));
  return (physical * own) / others.reduce((sum, { harm }) => sum + harm, own + chain.unrecordedHarm);
}
