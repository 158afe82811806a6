import type { Fleet, FleetDifference } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { caseWindow, incidentOrWindow, windowOptions } from '../case-window.ts';
import { type Command, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/views.ts';

const texts = messages.gpus;
/** The comparison is by bucket: fewer see less, more need more samples. */
const BUCKETS = 60;

export const gpusCommand: Command = {
  name: 'gpus',
  summary: texts.summary,
  usage: texts.usage,
  options: windowOptions,
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const time = (await incidentOrWindow(invocation, core, info)) ?? caseWindow(invocation, info);
      const { values: _, ...fleet } = await core.api['gpus.fleet']({ ...time, buckets: BUCKETS });
      invocation.terminal.out(invocation.values['json'] ? toJson(fleet) : gpusText(fleet));
    }),
};

function gpusText({ gpus, differences, compared }: Omit<Fleet, 'values'>): string {
  if (gpus.length === 0) return `${texts.noGpus}\n`;
  if (differences.length === 0) return `${compared === 0 ? texts.notCompared : texts.none(compared)}\n`;
  const figure = (value: number, unit: string): string => `${Number(value.toPrecision(4))} ${unit}`.trimEnd();
  const nameOf = ({ gpus: [first = 0, ...others] }: FleetDifference): string => {
    const name = shown(gpus[first]?.id ?? '');
    return others.length === 0 ? name : texts.several(others.length + 1, name);
  };
  const columns: readonly Column<FleetDifference>[] = [
    [texts.columns.gpus, nameOf, 'left'],
    [texts.columns.metric, ({ metric }) => shown(metric), 'left'],
    [texts.columns.value, ({ value, unit }) => figure(value, unit), 'right'],
    [texts.columns.typical, ({ typical, unit }) => figure(typical, unit), 'right'],
    [texts.columns.since, ({ since_ns }) => formatUtc(nanos(since_ns)), 'left'],
    [texts.columns.against, ({ against }) => against, 'left'],
  ];
  return `${alignedTable(columns, differences).join('\n')}\n`;
}
