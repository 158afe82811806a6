import type { Difference, Differences, Region } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { incidentOrWindow, windowOptions } from '../case-window.ts';
import { type Command, number, oneOf, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/views.ts';

const texts = messages.compare;
const LIMIT = 40;

export const compareCommand: Command = {
  name: 'compare',
  summary: texts.summary,
  usage: texts.usage,
  options: { ...windowOptions, baseline: { type: 'string' }, limit: { type: 'string' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const time = await incidentOrWindow(invocation, core, info);
      if (!time) return fail('option.missing', texts.noTime);
      const region: Region = { ...time, entities: [], duration_ms: null, span_name: null };
      const baseline = { kind: oneOf(invocation, 'baseline', ['before', 'rest'], 'before') };
      const { signal } = invocation.terminal;
      const found = await core.api['differences.find']({ region, baseline }, { signal });
      if (invocation.values['json']) return invocation.terminal.out(toJson({ region, ...found }));
      invocation.terminal.out(compareText(region, found, number(invocation, 'limit') ?? LIMIT));
    }),
};

const side = (difference: Difference, of: 'region' | 'baseline'): string => {
  const { measure, unit } = difference;
  const { value } = difference[of];
  return measure === 'share' ? `${(100 * value).toFixed(1)} %` : `${Number(value.toPrecision(4))} ${unit}`.trimEnd();
};

interface Listed extends Difference {
  /** How many others of its kind did likewise. */
  readonly likes: number;
}

/** Those that lead others like them stand for these. */
const leading = (differences: readonly Difference[]): Listed[] =>
  differences
    .filter(({ like }) => like === null)
    .map((one) => ({ ...one, likes: differences.filter(({ like }) => like === one.id).length }));

const columns: readonly Column<Listed>[] = [
  [texts.columns.attribute, ({ attribute }) => shown(attribute), 'left'],
  [texts.columns.value, ({ value, likes }) => `${shown(value)}${likes > 0 ? texts.like(likes) : ''}`, 'left'],
  [texts.columns.region, (one) => side(one, 'region'), 'right'],
  [texts.columns.baseline, (one) => side(one, 'baseline'), 'right'],
  [texts.columns.effect, ({ effect }) => `${effect < 0 ? '' : '+'}${effect.toFixed(2)}`, 'right'],
  [texts.columns.q, ({ q }) => (q < 1e-6 ? '< 1e-6' : String(Number(q.toPrecision(1)))), 'right'],
];

function compareText({ start_ns, end_ns }: Region, { differences: all, baseline }: Differences, limit: number): string {
  const differences = leading(all);
  const utc = (time: bigint): string => formatUtc(nanos(time));
  const more = differences.length - limit;
  return `${[
    texts.time(utc(start_ns), utc(end_ns)),
    ...(baseline ? [texts.against(utc(baseline.start_ns), utc(baseline.end_ns))] : []),
    ...(differences.length === 0 ? [texts.none] : alignedTable(columns, differences.slice(0, limit))),
    ...(more > 0 ? [texts.more(more)] : []),
  ].join('\n')}\n`;
}
