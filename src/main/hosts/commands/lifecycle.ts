import type { LifeView, Output, PartGroup, PartView } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { caseWindow, windowOptions } from '../case-window.ts';
import { type Command, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/views.ts';

const texts = messages.lifecycle;

export const lifecycleCommand: Command = {
  name: 'lifecycle',
  summary: texts.summary,
  usage: texts.usage,
  options: { ...windowOptions, parts: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      if (invocation.values['parts']) {
        const parts = await core.api['parts.list']({});
        return invocation.terminal.out(invocation.values['json'] ? toJson(parts) : partsText(parts));
      }
      const found = await core.api['lifecycle.list'](caseWindow(invocation, info));
      invocation.terminal.out(invocation.values['json'] ? toJson(found) : lifecycleText(found));
    }),
};

const columns: readonly Column<LifeView>[] = [
  [texts.columns.start, ({ start_ns }) => formatUtc(nanos(start_ns)), 'left'],
  [texts.columns.node, ({ node }) => shown(node ?? texts.unknownNode), 'left'],
  [texts.columns.fault, ({ trouble }) => shown(trouble), 'left'],
  [texts.columns.outcome, ({ outcome }) => outcome.replaceAll('_', ' '), 'left'],
  [texts.columns.took, ({ start_ns, end_ns }) => `${Number(end_ns - start_ns) / 1e9} s`, 'right'],
  [texts.columns.why, ({ why }) => shown(why), 'left'],
];

function lifecycleText({ lives, untreated, untreated_count }: Output<'lifecycle.list'>): string {
  const table = lives.length === 0 ? [texts.none] : alignedTable(columns, lives);
  const open = untreated.map(
    ({ start_ns, node, trouble, message }) =>
      `  ${formatUtc(nanos(start_ns))}  ${shown(`${node}  ${trouble}  ${message}`)}`,
  );
  return `${[...table, ...(untreated_count > 0 ? [texts.untreated(untreated_count), ...open] : [])].join('\n')}\n`;
}

const nameOf = ({ entity }: PartView): string => shown(entity.slice(entity.indexOf(':') + 1));

const partColumns: readonly Column<PartView>[] = [
  [texts.parts.part, nameOf, 'left'],
  [texts.parts.place, ({ place }) => shown(place ?? ''), 'left'],
  [texts.parts.serial, ({ serial }) => shown(serial), 'left'],
  [texts.parts.model, ({ model }) => shown(model), 'left'],
  [texts.parts.failures, ({ faults }) => String(faults), 'right'],
  [texts.parts.hours, ({ hours }) => hoursText(hours), 'right'],
  [texts.parts.last, ({ moments }) => shown(moments.at(-1)?.text ?? ''), 'left'],
];

/** A short recording has a fraction of an hour. */
const hoursText = (hours: number | null): string =>
  hours === null ? 'unknown' : String(hours < 100 ? Number(hours.toPrecision(3)) : Math.round(hours));

const rateText = ({ kind, model, faults, hours, mean_hours, low_hours, high_hours }: PartGroup): string =>
  texts.parts.rate(model || kind, faults, {
    hours: hoursText(hours),
    mean: hoursText(mean_hours),
    low: hoursText(low_hours),
    high: hoursText(high_hours),
  });

function partsText({ parts, groups }: Output<'parts.list'>): string {
  if (parts.length === 0) return `${texts.parts.none}\n`;
  const rates = groups.filter(({ faults }) => faults > 0).map((one) => shown(rateText(one)));
  return `${[...alignedTable(partColumns, parts), ...rates].join('\n')}\n`;
}
