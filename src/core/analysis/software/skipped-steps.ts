import type { TypedEvidence } from '../../../model/incident/incident.ts';
import type { CallFact, SpanStepFact } from '../../store/facts/reader.ts';
import { weighedLine } from '../evidence/kind.ts';
import { calleeSkips, skippedStep } from '../evidence/software.ts';
import { software } from './parameters.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, finding } from './suspect.ts';

/**
 * Services whose spans run as before but skip steps that they used to do: an early return, a switched feature, a wrong response
 * that ends the work. The deepest one in the call graph is the suspect; its callers react to its response.
 */
export function skippedSteps(
  facts: readonly SpanStepFact[],
  calls: readonly CallFact[],
  nameOf: (service: number) => string,
): Finding[] {
  const significant = facts.flatMap((fact) => {
    const odds = oddsOf(fact, facts.length);
    return odds > 0 ? [{ fact, odds }] : [];
  });
  const services = Map.groupBy(significant, ({ fact }) => fact.service);
  const callees = Map.groupBy(calls, ({ caller }) => caller);
  return [...services]
    .map(([service, list]) => {
      const below = reachable(service, callees);
      const another = [...services.keys()].find((other) => other !== service && below.has(other));
      const [first, ...rest] = list.toSorted((a, b) => b.odds - a.odds).slice(0, software.mostFindings) as [
        SkippedStep,
        ...SkippedStep[],
      ];
      const evidence = [
        stepLine(first.odds * (another === undefined ? 1 : software.calleeSkipsShare), first.fact, nameOf),
        ...rest.map(({ fact }) => stepLine(0, fact, nameOf)),
      ];
      if (another !== undefined) evidence.push(weighedLine(calleeSkips, 0, { callee: nameOf(another) }));
      return finding({ key: service, type: 'service_step_missing', layer: 'step', span: first.fact.name, evidence });
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}

interface SkippedStep {
  readonly fact: SpanStepFact;
  readonly odds: number;
}

function oddsOf({ before_runs, before_taken, window_runs, window_taken }: SpanStepFact, tests: number): number {
  if (window_runs < software.leastRuns) return 0;
  const omitted = (before_runs - before_taken + 1) / (before_runs + 1);
  return oddsAgainstChance(
    tests * binomialTail(window_runs - window_taken, window_runs, Math.min(1, omitted)),
    software.mostStepOdds,
  );
}

function stepLine(weight: number, fact: SpanStepFact, nameOf: (service: number) => string): TypedEvidence {
  const parameters = {
    span: fact.name,
    service: nameOf(fact.service),
    next: fact.next_name,
    next_service: fact.next_service === fact.service ? null : nameOf(fact.next_service),
    taken: fact.window_taken,
    runs: fact.window_runs,
    before_share: fact.before_taken / fact.before_runs,
  };
  return weighedLine(skippedStep, weight, parameters, [fact.ref]);
}

function reachable(from: number, callees: ReadonlyMap<number, readonly CallFact[]>): Set<number> {
  const reached = new Set<number>();
  const open = [from];
  for (const service of open)
    for (const { callee } of callees.get(service) ?? [])
      if (!reached.has(callee)) {
        reached.add(callee);
        open.push(callee);
      }
  return reached;
}
