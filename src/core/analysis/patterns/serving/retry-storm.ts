import type { RetriedCallFact } from '../../../store/facts/reader.ts';
import { retriedLoad } from '../../serving/estimate.ts';
import type { CaseFacts } from '../case-facts.ts';
import { count, lengthText, percent } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

const MINUTE_NS = 60_000_000_000n;

export const retryStorm: Pattern = {
  id: 'retry-storm',
  detect: (facts) =>
    [...Map.groupBy(facts.rows.calls, ({ service, name }) => `${service} ${name}`).values()].flatMap((minutes) =>
      storms(minutes).flatMap((storm) => toSign(facts, storm) ?? []),
    ),
};

const growthOf = ({ calls, retries }: Pick<RetriedCallFact, 'calls' | 'retries'>): number =>
  calls / Math.max(1, calls - retries);

/** Consecutive minutes in which retries increased the calls. */
function storms(minutes: readonly RetriedCallFact[]): RetriedCallFact[][] {
  const found: RetriedCallFact[][] = [];
  for (const minute of minutes) {
    if (growthOf(minute) < servingPatterns.retryGrowth) continue;
    const open = found.at(-1);
    if (open && minute.minute === open.at(-1)!.minute + 1n) open.push(minute);
    else found.push([minute]);
  }
  return found;
}

function toSign(facts: CaseFacts, storm: readonly RetriedCallFact[]): Sign | undefined {
  const sum = (field: 'calls' | 'failures' | 'retries' | 'requests') =>
    storm.reduce((total, one) => total + one[field], 0);
  const retries = sum('retries');
  const first = storm[0]!;
  const last = storm.at(-1)!;
  if (retries < servingPatterns.leastRetries) return undefined;
  const { service, name, callee } = first;
  const growth = Number(growthOf({ calls: sum('calls'), retries }).toFixed(2));
  return {
    headline: `${facts.name(service)} called ${name ?? 'an operation'}${callee >= 0 ? ` of ${facts.name(callee)}` : ''} ${growth} times for each request over ${lengthText(60 * storm.length)}: ${count(retries, 'retry', 'retries')}, ${percent(sum('failures') / sum('calls'))} of all calls failed.`,
    severity: growth >= 2 ? 'high' : 'medium',
    start_ns: first.minute * MINUTE_NS,
    end_ns: (last.minute + 1n) * MINUTE_NS,
    entities: callee >= 0 ? [service, callee] : [service],
    evidence: [
      {
        text: 'requests with most retries, per minute',
        refs: storm
          .map(({ ref }) => ref)
          .filter((ref) => ref !== '')
          .slice(0, 10),
      },
    ],
    missing: lacks(
      callee >= 0,
      'traces',
      'no spans of the callee: overload cannot be distinguished from lost requests',
    ),
    estimates: retriedLoad(sum('calls'), retries),
  };
}
