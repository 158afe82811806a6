import type { TypedHypothesis } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { round } from '../statistics.ts';
import { likeliest, logOdds, type Suspect, weigh } from './hypothesis-line.ts';
import { IncidentContext, type RankingInput } from './incident-context.ts';
import { asOneCause, type Ranked } from './one-cause.ts';
import { suspectMoved, suspectNothing, suspectSoftware } from './open-suspects.ts';
import { ordered } from './order.ts';
import { ranking } from './parameters.ts';
import { suspectSilent } from './silent-suspects.ts';
import { suspectEntities } from './suspect-entities.ts';
import { suspectUnrecorded, withUnrecorded } from './unrecorded-causes.ts';
import { fittedWeights, type Weights } from './weights.ts';

export interface Ranking {
  readonly hypotheses: readonly TypedHypothesis[];
  readonly context: IncidentContext;
  /** All, without weights, the most probable first; those of "not enough evidence", which are one hypothesis together, are last. */
  readonly suspects: readonly Suspect[];
}

/**
 * Possible root causes of one impact, in the order of {@link ordered}. Evidence adds in log-odds, a softmax makes the hypotheses
 * exclusive; the weights are those that make the corpus of labelled incidents most likely (`bench/corpus/fit.ts`), so
 * that a probability is one. Probabilities sum to one before the list is cut.
 */
export function rankHypotheses(input: RankingInput, weights: Weights = fittedWeights()): Ranking {
  const context = new IncidentContext(input);
  const linked = new Set(context.links.events);
  const candidates = input.candidates.filter(({ event }) => linked.has(event));
  const events = suspectEntities(candidates, context, weights);
  const unrecorded = events.flatMap((suspect) => suspectUnrecorded(suspect, context));
  const silent = suspectSilent(context, { weights, others: events });
  const nothing = suspectNothing(context);
  const known = [
    ...events,
    ...likeliestOfEach([...silent, ...suspectMoved(context)], weights),
    suspectSoftware(context),
  ];
  const insufficient = withUnrecorded(nothing, unrecorded, { context, weights });
  const suspects = [...known, insufficient];
  const odds = suspects.map((suspect) => logOdds(suspect, weights));
  const highest = Math.max(...odds);
  const total = odds.reduce((sum, value) => sum + Math.exp(value - highest), 0);
  const ranked = suspects
    .map((suspect, i): Ranked => {
      const probability = Math.exp(odds[i]! - highest) / total;
      return { suspect, probability, subject: suspect.subject, also: [], remarks: [] };
    })
    .sort((a, b) => b.probability - a.probability);
  const hypotheses = listed(withResidual(asOneCause(ranked, context))).map(
    ({ suspect, probability, subject, also, remarks }, i): TypedHypothesis => ({
      rank: i + 1,
      probability: round(probability, 4),
      subject,
      ...(also.length > 0 && { also: [...also] }),
      event_id: suspect.event?.original_id ?? null,
      type: suspect.type,
      metric: null,
      evidence: [...weigh(suspect, weights), ...remarks],
    }),
  );
  const others = ranked.flatMap(({ suspect }) => (suspect === insufficient ? [] : suspect));
  return { hypotheses: ordered(hypotheses), context, suspects: [...others, nothing, ...unrecorded] };
}

/** Something is left to causes that no corpus contains, by hypothesis: of those that became one, once. */
const withResidual = (ranked: readonly Ranked[]): Ranked[] =>
  ranked.map((one) => ({
    ...one,
    probability:
      (1 - ranking.outsideCorpusProbability) * one.probability + ranking.outsideCorpusProbability / ranked.length,
  }));

const listed = (ranked: readonly Ranked[]): Ranked[] =>
  ranked.filter(
    ({ suspect, probability }, i) =>
      i < ranking.alwaysListed ||
      suspect.type === 'no_physical_cause' ||
      (i < ranking.listed && probability >= ranking.leastListedProbability),
  );

/**
 * The event that the chain begins with: of the most probable of these hypotheses that has one, and that is not accused by a clock error
 * alone. null: there is none.
 */
export function rootOf({ suspects, context }: Ranking, hypotheses: readonly TypedHypothesis[]): EventFact | null {
  const probability = new Map(hypotheses.map((one) => [one.event_id, one.probability]));
  const events = suspects.flatMap(({ event }) => event ?? []);
  const likely = (event: EventFact): number => probability.get(event.original_id) ?? 0;
  const root = events
    .toSorted((a, b) => likely(b) - likely(a))
    .find((event) => {
      const doubt = context.input.late_s + Number(event.clock_uncertainty_ns) / 1e9;
      return likely(event) >= ranking.insistentProbability || context.lagOf(event) >= -doubt;
    });
  return root ?? null;
}

/** One hypothesis per silent entity: the most probable. */
function likeliestOfEach(suspects: readonly Suspect[], weights: Weights): Suspect[] {
  const bySubject = Map.groupBy(suspects, ({ subject }) => `${subject?.kind} ${subject?.id}`);
  return [...bySubject.values()].map((own) => likeliest(own, weights)!);
}
