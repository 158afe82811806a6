import type { Lane, LaneBands, LaneLogs } from '../../../model/contract/index.ts';
import { messages } from '../messages.ts';
import { formatNumber } from '../text/format-value.ts';
import { bandsAt, isFailed, isUnknown } from './bands.ts';

/** Shortens `hw.gpu.power` under a GPU to `power`, `gen_ai.server.request.waiting` to `request.waiting`. */
export function shortMetric(metric: string, kind: string): string {
  for (const prefix of [`hw.${kind}.`, `${kind}.`, 'hw.', 'service.', 'server.', 'gen_ai.server.']) {
    if (metric.startsWith(prefix) && metric.length > prefix.length) return metric.slice(prefix.length);
  }
  return metric;
}

/** What a lane shows of its entity. */
export function laneWhat(lane: Lane): string {
  if (lane.metric === '') return lane.kind;
  const name = shortMetric(lane.metric, lane.entity_kind);
  return lane.kind === 'state' && measured.has(name) ? messages.stateOf(name) : name;
}

/** States that have the name of what is measured: two lanes of one name would be read as one. */
const measured: ReadonlySet<string> = new Set([
  'voltage',
  'temperature',
  'coolant flow',
  'fan',
  'output',
  'outlet',
  'link',
  'supply',
]);

const counted: Readonly<Record<Lane['kind'], string>> = {
  events: 'events',
  metric: 'samples',
  state: 'samples or changes',
  spans: 'spans',
  logs: 'records',
  collectives: 'operations',
};
export const countedWhat = (lane: Lane): string => counted[lane.kind];

const plural = (count: number, one: string): string => `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;

export const NOT_RECORDED = 'not recorded';

/** Text of a lane of bands at an instant, in seconds after the start of its data. */
export function bandsText(lane: Lane, data: LaneBands, second: number, bucketSeconds: number): string {
  if (data.truncated) {
    const bucket = Math.floor(second / bucketSeconds);
    const count = data.density[bucket] ?? 0;
    const failed = data.failed[bucket] ?? 0;
    const rate = `${formatNumber(count / bucketSeconds)}/s`;
    return failed === 0 ? rate : `${rate}, ${formatNumber(failed / bucketSeconds)}/s failed`;
  }
  const bandsAtTime = bandsAt(data, second);
  const [first] = bandsAtTime;
  if (first === undefined) return '';
  if (isUnknown(data, first)) return NOT_RECORDED;
  if (lane.kind !== 'spans') return data.names[data.name[first]!] ?? '';
  const failed = bandsAtTime.filter((at) => isFailed(data, at)).length;
  return `${formatNumber(bandsAtTime.length)} running${failed === 0 ? '' : `, ${formatNumber(failed)} failed`}`;
}

/** Counts of log records between two buckets, both included. */
export function logsText(data: LaneLogs, first: number, last: number): string {
  const [errors, warnings, others] = [data.error, data.warning, data.other].map((counts) => sum(counts, first, last));
  return [
    errors ? plural(errors, 'error') : '',
    warnings ? plural(warnings, 'warning') : '',
    others ? `${formatNumber(others)} other` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function sum(counts: Int32Array, first: number, last: number): number {
  let all = 0;
  for (let at = Math.max(0, first); at <= last && at < counts.length; at++) all += counts[at]!;
  return all;
}
