import { weighedLine } from '../evidence/kind.ts';
import { servingChange } from '../evidence/software.ts';
import { causeOf, shareOf } from '../serving/causes.ts';
import type { ServingCondition } from '../serving/condition.ts';
import { software } from './parameters.ts';
import type { Sender } from './senders.ts';
import { type Finding, finding } from './suspect.ts';

/**
 * Services that serve a model unlike before, or the sender of what makes one slow. The strongest condition of a service counts and names the cause, others are listed:
 * they see the same requests.
 * @param conditions of the time in question, strongest first
 * @param senders by the service that they make slow
 */
export function servingSuspects(
  conditions: readonly ServingCondition[],
  senders: ReadonlyMap<number, Sender>,
  nameOf: (service: number) => string,
): Finding[] {
  const keyOf = (one: ServingCondition): number =>
    causeOf(one) === 'longer_requests' ? (senders.get(one.service)?.service ?? one.service) : one.service;
  return [...Map.groupBy(conditions, keyOf)].map(([key, own]) => {
    const [first] = own as [ServingCondition, ...ServingCondition[]];
    const evidence = own.slice(0, software.mostFindings).map((one, i) =>
      weighedLine(
        servingChange,
        software.mostServingOdds * shareOf(one) * software.furtherConditionShare ** i,
        { service: nameOf(one.service), figures: one.figures },
        one.evidence.flatMap(({ refs }) => refs),
      ),
    );
    return finding({ key, type: causeOf(first), layer: 'serving', evidence });
  });
}
