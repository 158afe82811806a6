import type { LogFact } from '../../../store/facts/reader.ts';
import type { CaseFacts } from '../case-facts.ts';
import { count } from '../finding-text.ts';
import { logRunEvidence, logRuns } from '../log-runs.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';

const TEXTS = ['CUDA out of memory', 'torch.OutOfMemoryError', 'CUDA_ERROR_OUT_OF_MEMORY', 'HIP out of memory'];

export const gpuOutOfMemory: Pattern = {
  id: 'gpu-out-of-memory',
  texts: TEXTS,
  detect: (facts) => logRuns(facts.logsContaining(...TEXTS)).map((run) => toSign(facts, run)),
};

function toSign(facts: CaseFacts, run: readonly [LogFact, ...LogFact[]]): Sign {
  const [first] = run;
  const wanted = /Tried to allocate ([\d.]+ [KMGT]iB)/.exec(first.body)?.[1];
  const who = first.entity < 0 ? 'A program' : facts.name(first.entity);
  const hosts = first.entity < 0 ? [] : [...facts.at(first.time_ns).sourcesOf(first.entity).keys()];
  return {
    headline: `${who} ran out of GPU memory, ${count(run.length, 'time')}${wanted ? `, first request ${wanted}` : ''}.`,
    severity: 'medium',
    start_ns: first.time_ns,
    end_ns: run.at(-1)?.time_ns ?? first.time_ns,
    entities: first.entity < 0 ? [] : [first.entity],
    evidence: [logRunEvidence(run)],
    missing: lacks(
      facts.isMeasured(hosts, ['hw.gpu.memory.usage']),
      'gpu',
      'no memory use of its GPUs: the process that filled them is unknown',
    ),
  };
}
