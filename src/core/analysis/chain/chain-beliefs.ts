import type { EventFact } from '../../store/facts/reader.ts';
import type { Candidate } from '../ranking/candidates.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';

/**
 * Log-odds of a link as the corpus' chains bear it out: belief leaves open which of several links of one family it is (a cap
 * brings about a brake, and so does the failover before it), so that it is too sure. Platt's scaling (1999), fitted on the
 * split `tune` alone: `npm run bench -- --only corpus` prints the error of each split.
 */
const SCALE = { slope: 0.57, offset: 0.07 } as const;
/** Log-odds beyond this say no more. */
const MOST_ODDS = 5.3;

function calibrated(belief: number): number {
  const odds = Math.log(belief / (1 - belief));
  const bounded = Math.max(-MOST_ODDS, Math.min(MOST_ODDS, odds));
  return 1 / (1 + Math.exp(-(SCALE.slope * bounded + SCALE.offset)));
}

/** How surely one event of a chain brought about another, 0 to 1; null where there is no cause, or no known mechanism. */
export function linkBelief(cause: EventFact | undefined, effect: EventFact, context: IncidentContext): number | null {
  if (!cause) return null;
  const link = context.links.causesOf(effect).find((one) => one.cause === cause);
  const belief = link ? context.belief(link) : context.explainedBy(cause).get(effect);
  return belief === undefined ? null : calibrated(belief);
}

/** Of what harms services some was never recorded: as much as a cause that does so in one case of a hundred. */
const UNRECORDED_HARM = 0.01;

/**
 * How surely the events of a chain did the harm, 0 to 1, against all else on what the service runs on that would; null where
 * none of them is known to.
 *
 * @param physical probability that the cause is a device at all rather than software, 0 to 1
 */
export function harmBelief(members: readonly Candidate[], story: IncidentContext, physical: number): number | null {
  const { graph } = story.input;
  const inChain = new Set(members.flatMap(({ event }) => [event.entity, ...graph.machinesOf(event.entity)]));
  const own = 1 - members.reduce((spared, { event }) => spared * (1 - story.directHarm(event)), 1);
  if (own === 0) return null;
  // What else a machine of the chain says is the same trouble.
  const others = story
    .harmful()
    .filter(({ event }) => ![event.entity, ...graph.machinesOf(event.entity)].some((one) => inChain.has(one)));
  return (physical * own) / others.reduce((sum, { harm }) => sum + harm, own + UNRECORDED_HARM);
}
