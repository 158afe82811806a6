import type { CaseFacts, PatternEvent } from './case-facts.ts';
import { episodes, eventLines } from './episodes.ts';
import { feedTroubles, supplyTroubles } from './feeds.ts';
import { lacks, type Pattern } from './pattern.ts';
import { endOfSlowdown, howLong } from './slowdown.ts';
import { nameList } from './words.ts';

const TOGETHER_S = 60;
const BEFORE_NS = 120_000_000_000n;
const EFFECTS = [
  'hw.gpu.clock.sm',
  'hw.gpu.clocks_event_reasons',
  'hw.gpu.utilization',
  'system.cpu.utilization',
  'hw.power',
] as const;

export const powerCap: Pattern = {
  id: 'power-cap',
  detect: (facts) =>
    episodes(facts.of('cpu_power_cap', 'power_cap_applied').filter(isLowered), () => 'all', TOGETHER_S).map(
      (episode) => {
        const { events, things, start_ns, end_ns } = episode;
        const [first] = events;
        const around = { from_ns: start_ns - BEFORE_NS, to_ns: end_ns };
        const causes = things.flatMap((thing) => facts.upstream(thing, [...feedTroubles, ...supplyTroubles], around));
        const ended = endOfSlowdown(facts, episode);
        const limits = things.length === 1 ? `: ${first.message}` : '';
        return {
          headline: `Power limit lowered on ${nameList(things.map((thing) => facts.name(thing)))} ${howLong(start_ns, ended)}${limits}.`,
          severity: 'medium',
          start_ns,
          end_ns: ended ?? end_ns,
          things,
          evidence: [...eventLines(events), ...eventLines([...new Set(causes)])],
          missing: lacks(
            isFelt(facts, things, start_ns),
            'server',
            'no clocks, load or power of these machines: whether the limit slowed anything is unknown',
          ),
        };
      },
    ),
};

/** To run at the limit that always held is a GPU at work; only a limit that was lowered is news. */
function isLowered({ type, origin, attributes, message }: PatternEvent): boolean {
  if (type === 'cpu_power_cap' || origin !== 'derived') return !/held down by its power limit/.test(message);
  const from = attributes['derived_from'] as { readonly metric?: unknown } | undefined;
  return from?.metric === 'hw.power.limit';
}

const isFelt = (facts: CaseFacts, things: readonly number[], time_ns: bigint): boolean =>
  things.some((thing) => facts.isMeasured(facts.machineWithParts(thing, time_ns), EFFECTS));
