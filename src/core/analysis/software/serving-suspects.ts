import { weighedLine } from '../evidence/kind.ts';
import { servingChange } from '../evidence/software.ts';
import { causeOf, shareOf } from '../serving/causes.ts';
import type { ServingCondition } from '../serving/condition.ts';
import { software } from './parameters.ts';
import { type Finding, finding } from './suspect.ts';

/**
 * Services that serve a model unlike before. The strongest condition of a service counts and names the cause, others are listed:
 * they see the same requests.
 * @param conditions of the time in question, strongest first
 */
export function servingSuspects(
  conditions: readonly ServingCondition[],
  nameOf: (service: number) => string,
): Finding[] {
  return [...Map.groupBy(conditions, ({ service }) => service)].map(([service, own]) => {
    const [first] = own as [ServingCondition, ...ServingCondition[]];
    const evidence = own.slice(0, software.mostFindings).map((one, i) =>
      weighedLine(
        servingChange,
        software.mostServingOdds * shareOf(one) * software.furtherConditionShare ** i,
        { service: nameOf(service), figures: one.figures },
        one.evidence.flatMap(({ refs }) => refs),
      ),
    );
    return finding({ key: service, type: causeOf(first), layer: 'serving', evidence });
  });
}
