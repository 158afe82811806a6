import type { GapLane, TokenRequest } from '../contract/tokens.ts';
import { formatUtc, nanos } from '../time.ts';

/** How a length is written, and a time: a window has a zone of its own. */
export interface TokenTextFormat {
  readonly length: (seconds: number) => string;
  readonly time: (time_ns: bigint) => string;
}

export const plainTokenFormat: TokenTextFormat = {
  length: (seconds) => (seconds < 1 ? `${number(seconds * 1000)} ms` : `${number(seconds)} s`),
  time: (time_ns) => formatUtc(nanos(time_ns)),
};

const number = (value: number): string => String(Number(value.toPrecision(4)));

const pieceNames = { token: 'token', chunk: 'chunk', first: 'token or chunk' } as const;

/** `generate (llama)` */
export const requestName = ({ name, service, span_id }: TokenRequest): string =>
  `${name ?? span_id}${service === null ? '' : ` (${service})`}`;

/** When the first piece of an answer came, how many are known, and how far apart they are. */
export function tokenFacts(request: TokenRequest, format: TokenTextFormat): string[] {
  return [firstText(request, format), countText(request), ...gapTexts(request, format)];
}

function firstText({ pieces, first_s, stated_first_s }: TokenRequest, { length }: TokenTextFormat): string {
  const stated = stated_first_s === null ? '' : length(stated_first_s);
  if (first_s === null || pieces === null)
    return `the request states ${stated} to its first token; when tokens came is not recorded`;
  const first = `first ${pieceNames[pieces]} after ${length(first_s)}`;
  return stated === '' ? first : `${first} (the request states ${stated})`;
}

function countText({ pieces, count, output_tokens }: TokenRequest): string {
  const all = output_tokens === null ? '' : `the request states ${number(output_tokens)} tokens`;
  if (pieces === null || pieces === 'first') return all === '' ? 'tokens after it are not recorded' : all;
  const found = `${count} ${pieces}${count === 1 ? '' : 's'}`;
  if (pieces === 'chunk') return `${found}, each of one token or more${all === '' ? '' : ` (${all})`}`;
  return output_tokens !== null && count < output_tokens
    ? `${found} recorded of ${number(output_tokens)} stated: between two of them others may be missing`
    : found;
}

function gapTexts(request: TokenRequest, { length, time }: TokenTextFormat): string[] {
  const { pieces, median_gap_s, p99_gap_s, longest } = request;
  if (median_gap_s === null || longest === null || pieces === null) return [];
  const p99 = p99_gap_s === null ? '' : `, P99 ${length(p99_gap_s)}`;
  return [
    `between ${pieces}s: median ${length(median_gap_s)}${p99}`,
    `longest gap ${length(longest.seconds)}, from ${time(longest.from_ns)}, after ${pieces} ${longest.after}`,
  ];
}

/** What the hardware and the server did in the longest gap, one line each; what was not sampled in it is marked so. */
export function gapFacts({ longest, hardware }: TokenRequest, { length }: TokenTextFormat): string[] {
  if (!longest || !hardware) return [];
  const { from_ns, until_ns } = longest;
  const between = (from: bigint, to: bigint): string => length(Number(to - from) / 1e9);
  const byChange = hardware.lanes.toSorted((a, b) => changeOf(b) - changeOf(a));
  const lanes = byChange
    .slice(0, MOST_LANES)
    .map((lane) => `${laneName(lane)}: ${laneText(lane, { from_ns, until_ns, between })}`);
  const others = hardware.lanes.length - lanes.length;
  if (others > 0) lanes.push(`${others} more metrics are left out`);
  const events = hardware.events.map(({ entity, type, severity, message, time_ns }) => {
    const when =
      time_ns < from_ns ? `${between(time_ns, from_ns)} before the gap` : `${between(from_ns, time_ns)} into the gap`;
    return `${type.replaceAll('_', ' ')} on ${entity}, ${when} (${severity})${message === '' ? '' : `: ${message}`}`;
  });
  const left = hardware.events_left_out > 0 ? [`${hardware.events_left_out} earlier events are left out`] : [];
  const found = [...events, ...left, ...lanes];
  if (found.length === 0) return ['no events or metrics of its server, GPUs or machines are recorded around the gap'];
  return hardware.named
    ? found
    : ['the trace names no host or pod, so these are of all that serve its services', ...found];
}

/** Of many metrics, those that changed most in the gap. */
const MOST_LANES = 12;

/** How far a value of the gap is from the rest of the request, as a share; -1: not known. */
function changeOf({ within, usual }: GapLane): number {
  if (!within || usual === null) return -1;
  const far = Math.max(Math.abs(within.low - usual), Math.abs(within.high - usual));
  return far / Math.max(Math.abs(usual), far, Number.MIN_VALUE);
}

interface GapTimes {
  readonly from_ns: bigint;
  readonly until_ns: bigint;
  readonly between: (from: bigint, to: bigint) => string;
}

function laneText({ within, before, after, usual, unit }: GapLane, { from_ns, until_ns, between }: GapTimes): string {
  const value = (of: number): string => `${number(of)}${unitText(unit)}`;
  const usually = usual === null ? '' : `; median of the rest of the request ${value(usual)}`;
  if (within) {
    const range = within.low === within.high ? value(within.low) : `${number(within.low)} to ${value(within.high)}`;
    return `${range} in the gap (${within.samples} sample${within.samples === 1 ? '' : 's'})${usually}`;
  }
  const near = [
    ...(before ? [`${value(before.value)} ${between(before.time_ns, from_ns)} before it`] : []),
    ...(after ? [`${value(after.value)} ${between(until_ns, after.time_ns)} after it`] : []),
  ];
  return `not sampled in the gap; ${near.join(', ')}${usually}`;
}

const laneName = ({ entity, metric, replica, from }: GapLane): string =>
  `${entity}${replica === '' ? '' : ` (${replica})`} ${metric}${from === 'spans' ? ' as spans state it' : ''}`;

function unitText(unit: string): string {
  if (unit === '' || unit === '1' || unit.startsWith('{')) return '';
  return unit === 'Cel' ? ' °C' : ` ${unit}`;
}
