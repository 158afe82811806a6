import type { Output } from '../../model/contract/index.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { alignedTable, type Column } from './aligned-table.ts';
import { shown } from './commands/command.ts';
import { messages } from './commands/messages/fleet.ts';

type Host = Output<'fleet.gpus'>['hosts'][number];

const number = (value: number | null, decimals = 0): string => (value === null ? '' : value.toFixed(decimals));

/** Shares of 0 to 1 as signs, one each. */
const BARS = ' ▁▂▃▄▅▆▇█';
const bar = (value: number | null): string =>
  value === null ? ' ' : value === 0 ? '.' : (BARS[Math.max(1, Math.round(value * 8))] ?? '█');

const titles = messages.gpus.columns;
const hostColumns: readonly Column<Host>[] = [
  [titles.host, ({ host }) => (host === '' ? messages.gpus.unknownHost : shown(host)), 'left'],
  [titles.gpus, ({ gpus }) => String(gpus), 'right'],
  [titles.xids, ({ xids }) => number(xids), 'right'],
  [titles.uncorrected, ({ ecc_uncorrected }) => number(ecc_uncorrected), 'right'],
  [titles.corrected, ({ ecc_corrected }) => number(ecc_corrected), 'right'],
  [titles.throttled, ({ throttled }) => number(throttled === null ? null : 100 * throttled, 1), 'right'],
  [titles.temperature, ({ temperature }) => number(temperature), 'right'],
  [titles.utilization, ({ utilization }) => number(utilization), 'right'],
  [titles.over, ({ heat }) => `|${heat.throttled.map(bar).join('')}|`, 'left'],
];

/** GPUs of a fleet by host, the worst first. */
export function gpusText({ hosts }: Output<'fleet.gpus'>): string {
  if (hosts.length === 0) return `${messages.gpus.none}\n`;
  return `${[...alignedTable(hostColumns, hosts), messages.gpus.legend].join('\n')}\n`;
}

type Event = Output<'fleet.events'>['events'][number];

/** Events in order of time, with how long after `at_ns` each was. */
export function eventsText({ events, found }: Output<'fleet.events'>, at_ns: bigint): string {
  const { columns, none, nearest } = messages.events;
  if (events.length === 0) return `${none}\n`;
  const seconds = ({ time_ns }: Event): string => `${(Number(time_ns - at_ns) / 1e9).toFixed(3)} s`;
  const table: readonly Column<Event>[] = [
    [columns.offset, seconds, 'right'],
    [columns.time, ({ time_ns }) => formatUtc(nanos(time_ns)), 'left'],
    [columns.severity, ({ severity }) => severity, 'left'],
    [columns.entity, ({ entity }) => shown(entity ?? ''), 'left'],
    [columns.type, ({ type }) => shown(type), 'left'],
    [columns.message, ({ message }) => shown(message), 'left'],
  ];
  const more = found > events.length ? [nearest(events.length, found)] : [];
  return `${[...alignedTable(table, events), ...more].join('\n')}\n`;
}
