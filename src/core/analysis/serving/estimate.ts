import type { Estimate } from '../../../model/incident/finding.ts';
import type { ServingFigures } from './condition.ts';

type EstimateKind = Estimate['kind'];
type Calculation = Pick<Estimate, 'kind' | 'figures'>;

const of = (kind: EstimateKind, figures: Readonly<Record<string, number>>): Calculation[] =>
  Object.values(figures).every((value) => Number.isFinite(value) && value > 0) ? [{ kind, figures }] : [];

/** Arithmetic on the numbers of a condition; [] where one of them was not recorded. */
function calculate(figures: ServingFigures): Calculation[] {
  switch (figures.rule) {
    case 'batch-underfilled': {
      const { batch, limit, waiting } = figures;
      if (batch === null || limit === null) return [];
      const possible = Math.min(limit, batch + waiting);
      return of('fuller_batches', { batch, waiting, limit, possible, times: possible / batch });
    }
    case 'gpu-idle-while-queued': {
      const { busy, busy_before } = figures;
      if (busy_before === null) return [];
      return of('busier_gpus', { busy_percent: busy, usual_percent: busy_before, times: busy_before / busy });
    }
    case 'cache-misses': {
      const [missed, missed_before] = [100 - figures.hits, 100 - figures.hits_before];
      return of('more_prefill', {
        missed_percent: missed,
        before_percent: missed_before,
        times: missed / missed_before,
      });
    }
    case 'kv-cache-full': {
      const { usage, usage_before } = figures;
      if (usage_before === null) return [];
      return of('fewer_sequences', { usage_percent: usage, usual_percent: usage_before, share: usage_before / usage });
    }
    case 'replica-unlike-peers': {
      const { own, usual, peers } = figures;
      return of('drained_replica', { own_s: own, usual_s: usual, peers, times: (peers + 1) / peers });
    }
    case 'long-prompts-block':
    case 'slow-tool':
    case 'client-cancellations':
    case 'cold-start':
      return [];
    case 'autoscaler-lag': {
      const { wanted, ready } = figures;
      return of('late_replicas', { wanted, ready, times: wanted / ready });
    }
    case 'token-shift': {
      const { tokens, tokens_before } = figures;
      return of('token_capacity', { tokens, before: tokens_before, share: tokens_before / tokens });
    }
  }
}

const figure = (value: number): string => `${Number(value.toPrecision(2))}`;
type Words = Pick<Estimate, 'text' | 'assumes' | 'disproved_by'>;

const words: Readonly<Record<EstimateKind, (figures: Readonly<Record<string, number>>) => Words>> = {
  fuller_batches: ({ batch = 0, waiting = 0, limit = 0, possible = 0, times = 0 }) => ({
    text: `${figure(batch)} in a batch and ${figure(waiting)} waiting fill batches of up to ${figure(possible)} (limit ${figure(limit)}): ${figure(possible)} / ${figure(batch)} = ${figure(times)} times the requests in as many batches`,
    assumes: ['a batch takes about as long when it holds more', 'the cache has room for the sequences'],
    disproved_by: 'batches take longer in proportion to their size, or the key-value cache fills up',
  }),
  busier_gpus: ({ busy_percent = 0, usual_percent = 0, times = 0 }) => ({
    text: `at the usual ${figure(usual_percent)} % instead of ${figure(busy_percent)} % the same GPUs do ${figure(usual_percent)} / ${figure(busy_percent)} = ${figure(times)} times the work`,
    assumes: ['work grows with the time in which kernels run'],
    disproved_by: 'power or clocks of the GPUs are as usual, so that they do as much in less time',
  }),
  more_prefill: ({ missed_percent = 0, before_percent = 0, times = 0 }) => ({
    text: `misses rose from ${figure(before_percent)} % to ${figure(missed_percent)} %: ${figure(missed_percent)} / ${figure(before_percent)} = ${figure(times)} times as many look-ups are computed anew`,
    assumes: ['what is missed takes as long as what was missed before', 'the number of look-ups is about the same'],
    disproved_by: 'the time to the first token did not change with the hit rate',
  }),
  fewer_sequences: ({ usage_percent = 0, usual_percent = 0, share = 0 }) => ({
    text: `the usual ${figure(usual_percent)} % of the cache is ${figure(usual_percent)} / ${figure(usage_percent)} = ${figure(100 * share)} % of the sequences that fill it now`,
    assumes: ['sequences are as long as now', 'use is of running sequences, not of kept prefixes'],
    disproved_by: 'preemptions go on with that many running sequences',
  }),
  drained_replica: ({ peers = 0, times = 0 }) => ({
    text: `without the replica each of the ${figure(peers)} others gets ${figure(peers + 1)} / ${figure(peers)} = ${figure(times)} times its requests`,
    assumes: ['requests are spread evenly over the replicas'],
    disproved_by: 'queues of the others grow once it is drained',
  }),
  late_replicas: ({ wanted = 0, ready = 0, times = 0 }) => ({
    text: `until the others are ready each replica gets ${figure(wanted)} / ${figure(ready)} = ${figure(times)} times the requests that it is meant to get`,
    assumes: ['as many replicas as were wanted would clear the queue', 'requests are spread evenly over the replicas'],
    disproved_by: 'requests wait as long once all wanted replicas are ready',
  }),
  token_capacity: ({ tokens = 0, before = 0, share = 0 }) => ({
    text: `at the same tokens per second the service completes ${figure(before)} / ${figure(tokens)} = ${figure(100 * share)} % of the requests that it completed before`,
    assumes: ['work grows in proportion to tokens; attention over long prompts grows faster'],
    disproved_by: 'requests of the earlier length are slower, too',
  }),
};

/** What the numbers of a condition imply, as estimates with their assumptions. */
export const estimatesOf = (figures: ServingFigures): Estimate[] =>
  calculate(figures).map(({ kind, figures: own }) => ({ kind, figures: { ...own }, ...words[kind](own) }));
