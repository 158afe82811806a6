import type { Estimate } from '../../../model/incident/finding.ts';
import type { ServingFigures } from './condition.ts';

type EstimateKind = Estimate['kind'];
type Calculation = Pick<Estimate, 'kind' | 'figures'>;

const of = (kind: EstimateKind, figures: Readonly<Record<string, number>>): Calculation[] =>
  Object.values(figures).every((value) => Number.isFinite(value) && value > 0) ? [{ kind, figures }] : [];

/** Replicas that full batches would need for what came before the queue; {} where they are not fewer. */
function spared({ replicas, fill, fill_before }: Extract<ServingFigures, { rule: 'batch-underfilled' }>) {
  if (fill_before === null) return {};
  const usual_percent = Math.max(fill, fill_before);
  const enough = Math.ceil((replicas * usual_percent) / 100);
  return enough < replicas ? { replicas, usual_percent, enough } : {};
}

/** Arithmetic on the numbers of a condition; [] where one of them was not recorded. */
function calculate(figures: ServingFigures): Calculation[] {
  switch (figures.rule) {
    case 'batch-underfilled': {
      const { batch, limit, waiting } = figures;
      if (batch === null || limit === null) return [];
      const possible = Math.min(limit, batch + waiting);
      return of('fuller_batches', { batch, waiting, limit, possible, times: possible / batch, ...spared(figures) });
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
    case 'long-prompts-block': {
      const { longest, usual } = figures;
      return of('long_prefill', { longest_tokens: longest, usual_tokens: usual, times: longest / usual });
    }
    case 'slow-tool': {
      const { took, took_before, calls } = figures;
      return of('tool_time', { calls, took_s: took, before_s: took_before, more_s: calls * (took - took_before) });
    }
    case 'client-cancellations': {
      const { cancelled, requests, share } = figures;
      return of('lost_answers', { cancelled, requests, share: share / 100 });
    }
    case 'cold-start': {
      const { took, took_before } = figures;
      return of('warm_replicas', { took_s: took, before_s: took_before, saved_s: took - took_before });
    }
    case 'autoscaler-lag': {
      const { wanted, ready, isAtLimit } = figures;
      // How many replicas would clear the queue follows from no recorded number.
      if (isAtLimit) return [];
      return of('late_replicas', { wanted, ready, times: wanted / ready });
    }
    case 'token-shift': {
      const { tokens, tokens_before, origin, mean, mean_before } = figures;
      // What the service can do depends on all requests.
      const [now, before] = origin === null ? [tokens, tokens_before] : [mean, mean_before];
      return of('token_capacity', { tokens: now, before, share: before / now });
    }
  }
}

const figure = (value: number): string => `${Number(value.toPrecision(2))}`;
function sparedText({ replicas = 0, usual_percent = 0, enough }: Readonly<Record<string, number>>): string {
  if (enough === undefined) return '';
  // Three digits: what is rounded up must not read as whole already, and the product has to be that of what is read.
  const usual = Number(usual_percent.toPrecision(3));
  const needed = Number(((replicas * usual) / 100).toPrecision(3));
  return `; what filled ${usual} % of the batches of ${replicas} replicas before needs ${replicas} x ${usual} % = ${needed} with full batches, rounded up ${enough}, which saves the price of ${replicas - enough}`;
}

type Words = Pick<Estimate, 'text' | 'assumes' | 'disproved_by'>;

const words: Readonly<Record<EstimateKind, (figures: Readonly<Record<string, number>>) => Words>> = {
  fuller_batches: ({ batch = 0, waiting = 0, limit = 0, possible = 0, times = 0, ...more }) => ({
    text: `${figure(batch)} in a batch and ${figure(waiting)} waiting fill batches of up to ${figure(possible)} (limit ${figure(limit)}): ${figure(possible)} / ${figure(batch)} = ${figure(times)} times the requests in as many batches${sparedText(more)}`,
    assumes: [
      'a batch takes about as long when it holds more',
      'the cache has room for the sequences',
      ...(more['enough'] === undefined
        ? []
        : ['as many requests come as before', 'no replica is kept for peaks or failures']),
    ],
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
  long_prefill: ({ longest_tokens = 0, usual_tokens = 0, times = 0 }) => ({
    text: `the longest prompt takes the prefill of ${figure(longest_tokens)} / ${figure(usual_tokens)} = ${figure(times)} usual ones, which wait unless prompts are prefilled in chunks`,
    assumes: ['prefill grows in proportion to tokens; attention over long prompts grows faster'],
    disproved_by: 'the time to the first token of short prompts is as before while a long one is prefilled',
  }),
  tool_time: ({ calls = 0, took_s = 0, before_s = 0, more_s = 0 }) => ({
    text: `${calls} calls x (${figure(took_s)} s - ${figure(before_s)} s) = ${figure(more_s)} s more that requests waited for tools`,
    assumes: ['a request waits for each call, one after the other', 'calls ask for as much as before'],
    disproved_by: 'requests that call no tool are slower, too',
  }),
  lost_answers: ({ cancelled = 0, requests = 0, share = 0 }) => ({
    text: `${cancelled} / ${requests} = ${figure(100 * share)} % of the requests were cancelled, and their work was lost`,
    assumes: [
      'a request that is cancelled costs as much as another one',
      'the server stops no work when a client leaves',
    ],
    disproved_by: 'cancelled requests generated few tokens',
  }),
  warm_replicas: ({ took_s = 0, before_s = 0, saved_s = 0 }) => ({
    text: `a replica that is warm saves ${figure(took_s)} s - ${figure(before_s)} s = ${figure(saved_s)} s a request of that time`,
    assumes: ['nothing else made these requests slower', 'a warm replica answers as quickly as before'],
    disproved_by: 'requests that met no cold start were as slow',
  }),
  token_capacity: ({ tokens = 0, before = 0, share = 0 }) => ({
    text: `at the same tokens per second the service completes ${figure(before)} / ${figure(tokens)} = ${figure(100 * share)} % of the requests that it completed before`,
    assumes: ['work grows in proportion to tokens; attention over long prompts grows faster'],
    disproved_by: 'requests of the earlier length are slower, too',
  }),
  retried_load: ({ calls = 0, retries = 0, first = 0, times = 0 }) => ({
    text: `${calls} calls of which ${retries} repeat another one are ${calls} / ${first} = ${figure(times)} times the calls that callers needed; without retries the callee has the other ${figure(100 / times)} %`,
    assumes: ['a repeated call costs the callee as much as the first', 'callers give up what is not repeated'],
    disproved_by: 'calls fail as often once they are not repeated any more',
  }),
  part_time: ({ requests = 0, took_s = 0, before_s = 0, more_s = 0 }) => ({
    text: `${requests} requests x (${figure(took_s)} s - ${figure(before_s)} s) = ${figure(more_s)} s more that these requests took in all`,
    assumes: ['these requests ask for as much as before'],
    disproved_by: 'their prompts or answers are longer than before in the same proportion',
  }),
};

const inWords = (calculations: readonly Calculation[]): Estimate[] =>
  calculations.map(({ kind, figures: own }) => ({ kind, figures: { ...own }, ...words[kind](own) }));

/** What the numbers of a condition imply, as estimates with their assumptions. */
export const estimatesOf = (figures: ServingFigures): Estimate[] => inWords(calculate(figures));

/** What a callee has to do because calls of it are repeated. @param calls all of them, of which `retries` repeat another one */
export const retriedLoad = (calls: number, retries: number): Estimate[] =>
  inWords(of('retried_load', { calls, retries, first: calls - retries, times: calls / (calls - retries) }));

/** What requests of one part took longer than before, in all. Times of a request are in seconds. */
export const partTime = (requests: number, took_s: number, before_s: number): Estimate[] =>
  inWords(of('part_time', { requests, took_s, before_s, more_s: requests * (took_s - before_s) }));
