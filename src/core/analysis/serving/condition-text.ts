import type { ServingFigures } from './condition.ts';

const figure = (value: number): string => `${Number(value.toPrecision(3))}`;
const percent = (value: number): string => `${Number(value.toPrecision(2))} %`;
const before = (value: number | null, text: (value: number) => string): string =>
  value === null ? '' : ` (${text(value)} before)`;
const seconds = (value: number): string => (value < 1 ? `${figure(1000 * value)} ms` : `${figure(value)} s`);

/** What is known of several replicas is their mean. */
const waitedText = ({ waiting, queues }: { readonly waiting: number; readonly queues: number }): string =>
  `${figure(waiting)} requests waited${queues > 1 ? ' at each replica' : ''} on average`;

/** ` from agent for tenant acme and model m`; '': all requests changed. */
function originText({ of, origin }: Extract<ServingFigures, { rule: 'token-shift' }>): string {
  if (origin === null) return '';
  const { caller, tenant, model } = origin;
  const called = caller === null ? '' : ` ${of === 'input' ? 'from' : 'to'} ${caller}`;
  const parts = [...(tenant === null ? [] : [`tenant ${tenant}`]), ...(model === null ? [] : [`model ${model}`])];
  return `${called}${parts.length === 0 ? '' : ` for ${parts.join(' and ')}`}`;
}

/** What a service did, as the rest of a sentence that begins with its name. */
export function conditionText(figures: ServingFigures): string {
  switch (figures.rule) {
    case 'gpu-idle-while-queued':
      return `kept its GPUs ${percent(figures.busy)} busy${before(figures.busy_before, percent)} while ${waitedText(figures)}`;
    case 'batch-underfilled': {
      const { batch, limit, fill, fill_before, isSeen } = figures;
      const of = limit === null ? 'the limit' : isSeen ? `${figure(limit)}, the largest one recorded` : figure(limit);
      const size =
        batch === null ? `filled its batches to ${percent(fill)}` : `ran batches of ${figure(batch)} of ${of}`;
      const was = fill_before === null ? '' : ` (${percent(fill)}, ${percent(fill_before)} before)`;
      return `${size}${was} while ${waitedText(figures)}`;
    }
    case 'cache-misses':
      return `found ${percent(figures.hits)} in its cache (${percent(figures.hits_before)} before)`;
    case 'kv-cache-full': {
      const { usage, usage_before, preemptions, waiting } = figures;
      const set = preemptions === null ? '' : `, and set back ${figure(preemptions)} requests`;
      const queue = waiting === null ? '' : ` while ${figure(waiting)} waited on average`;
      return `filled ${percent(usage)} of its key-value cache${before(usage_before, percent)}${set}${queue}`;
    }
    case 'replica-unlike-peers':
      return `took ${seconds(figures.own)} a request${figures.isServed ? ' (without its queue)' : ''} on ${figures.replica}, ${seconds(figures.usual)} on its ${figures.peers} other replicas`;
    case 'token-shift': {
      const did = figures.of === 'input' ? 'received requests' : 'gave answers';
      return `${did} of ${figure(figures.tokens)} tokens (${figure(figures.tokens_before)} before)${originText(figures)}`;
    }
    case 'long-prompts-block':
      return `had prompts of up to ${figure(figures.longest)} tokens (${figure(figures.usual)} usually) while ${figure(figures.waiting)} requests waited on average`;
    case 'slow-tool':
      return `waited ${seconds(figures.took)} a call for its ${figures.tool === null ? 'tools' : `tool ${figures.tool}`} (${seconds(figures.took_before)} before, ${figure(figures.calls)} calls)`;
    case 'client-cancellations':
      return `had ${figure(figures.cancelled)} of ${figure(figures.requests)} requests cancelled by clients (${percent(figures.share)}, ${percent(figures.share_before)} before)`;
    case 'cold-start':
      return `took ${seconds(figures.took)} a request (${seconds(figures.took_before)} before) while ${figure(figures.starts)} began with a cold start or the load of a model`;
    case 'autoscaler-lag': {
      const { wanted, wanted_before, ready, isCurrent, isAtLimit, seconds: lasted, waiting } = figures;
      const queue = waiting === null ? '' : ` while ${figure(waiting)} requests waited on average`;
      if (isAtLimit)
        return `was scaled to ${figure(wanted)} replicas, the most that its autoscaler may run, for ${seconds(lasted)}${queue}`;
      return `had ${figure(ready)} of ${figure(wanted)} replicas${isCurrent ? '' : ' ready'} (${figure(wanted_before)} wanted before) for ${seconds(lasted)}${queue}`;
    }
  }
}
