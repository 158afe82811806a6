import type { LifeView } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { formatDuration, formatTime, type TimeFormat } from './format-time.ts';

type Wait = LifeView['waits'][number];

export const lengthOf = ({ start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint }): number =>
  Number(end_ns - start_ns);

/** The longest wait; undefined if there was none. */
export const longestWait = ({ waits }: LifeView): Wait | undefined =>
  waits.reduce<Wait | undefined>((most, wait) => (most && lengthOf(most) >= lengthOf(wait) ? most : wait), undefined);

export const waitText = (wait: Wait): string =>
  `${formatDuration(lengthOf(wait))} ${wait.after === wait.before ? `within ${wait.after}` : `from ${wait.after} to ${wait.before}`}`;

/** Whether the node returned to service. */
export const isWell = ({ outcome }: LifeView): boolean => outcome === 'recovered' || outcome === 'remediated';

/** Shape of an outcome, so that it does not depend on colour. */
export const outcomeGlyph: Readonly<Record<LifeView['outcome'], string>> = {
  recovered: '✓',
  remediated: '✓',
  failed: '▲',
  timed_out: '▲',
  cancelled: '◇',
  skipped: '◇',
  in_progress: '…',
  stopped: '…',
};

/** Outcome in words. */
export const outcomeText = (outcome: LifeView['outcome']): string => outcome.replaceAll('_', ' ');

/** The whole lifecycle as a list for a post-mortem. */
export function lifeMarkdown(life: LifeView, format: TimeFormat): string {
  const head = `**${life.trouble}** on ${life.node ?? 'an unnamed node'}, ${formatUtc(nanos(life.start_ns))}: ${outcomeText(life.outcome)} after ${formatDuration(lengthOf(life))}${life.why === '' ? '' : ` (${life.why})`}`;
  const steps = life.steps.map((step) => {
    const length = lengthOf(step) > 0 ? `, ${formatDuration(lengthOf(step))}` : '';
    return `- ${formatTime(nanos(step.start_ns), format)} ${step.stage}: ${step.name}${length}${step.message === '' ? '' : `: ${step.message}`} \`${step.ref}\``;
  });
  const waits = life.waits.map((wait) => `- waited ${waitText(wait)}`);
  return [head, '', ...steps, ...waits].join('\n');
}
