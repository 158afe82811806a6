import type { CaseFacts } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';

export const gpuOutOfMemory: Pattern = {
  id: 'gpu-out-of-memory',
  detect: (facts) =>
    episodes(facts.of('gpu_out_of_memory'), undefined, patterns.briefApartSeconds).map((episode) =>
      toSign(facts, episode),
    ),
};

function toSign(facts: CaseFacts, { events, entities, start_ns, end_ns }: Episode): Sign {
  const [first] = events;
  const { requested } = first.details;
  const who = first.entity < 0 ? 'A program' : facts.name(first.entity);
  const hosts = first.entity < 0 ? [] : [...facts.at(start_ns).sourcesOf(first.entity).keys()];
  return {
    headline: `${who} ran out of GPU memory, ${count(events.length, 'time')}${requested ? `, first request ${requested}` : ''}.`,
    severity: 'medium',
    start_ns,
    end_ns,
    entities,
    evidence: eventLines(events),
    missing: lacks(
      facts.isMeasured(hosts, ['hw.gpu.memory.usage']),
      'gpu',
      'no memory use of its GPUs: the process that filled them is unknown',
    ),
  };
}
