import type { TimeWindow } from '../../../model/storage/archive.ts';

/** Parts of a date in the order of their size, as strftime names them. */
const tokens = ['%Y', '%m', '%d', '%H', '%M'] as const;
const MINUTE_MS = 60_000;
const MILLISECOND = 1_000_000n;

/** How long the objects of one prefix are about; `none`: their keys have no time. */
export type Partition = 'none' | (typeof tokens)[number];

/** The smallest part of a date in a prefix; undefined: one is unknown, or one before it is missing. */
export function partitionOf(prefix: string): Partition | undefined {
  const found = new Set(prefix.match(/%./g) ?? []);
  const last = tokens.findLastIndex((token) => found.has(token));
  const isWhole = tokens.slice(0, last + 1).every((token) => found.has(token));
  if (!isWhole || found.size !== last + 1 || /%$/.test(prefix)) return undefined;
  return last === -1 ? 'none' : tokens[last]!;
}

/** A prefix with the time of one partition, and the window that it covers. */
export interface PartitionPrefix extends TimeWindow {
  readonly prefix: string;
  /** What is listed for it: minutes share the listing of their hour. */
  readonly listed: string;
}

/** The partitions of a prefix with a time that a window touches, in UTC. */
export function* partitionsOf(prefix: string, { from_ns, until_ns }: TimeWindow): Generator<PartitionPrefix> {
  const partition = partitionOf(prefix);
  if (partition === undefined || partition === 'none') return;
  const end_ms = Number((until_ns + MILLISECOND - 1n) / MILLISECOND);
  let begin = startOf(partition, Number(from_ns / MILLISECOND));
  while (begin < end_ms) {
    const end = nextAfter(partition, begin);
    const whole = withTime(prefix, begin);
    const cut = partition === '%M' ? withTime(prefix.slice(0, prefix.indexOf('%M')), begin) : whole;
    yield { prefix: whole, listed: cut, from_ns: BigInt(begin) * MILLISECOND, until_ns: BigInt(end) * MILLISECOND };
    begin = end;
  }
}

const partsOf = (time_ms: number): number[] => {
  const date = new Date(time_ms);
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes()];
};

function startOf(partition: Exclude<Partition, 'none'>, time_ms: number): number {
  const parts = partsOf(time_ms).map((part, at) => (at <= tokens.indexOf(partition) ? part : at === 2 ? 1 : 0));
  return Date.UTC(parts[0]!, parts[1]!, parts[2]!, parts[3]!, parts[4]!);
}

function nextAfter(partition: Exclude<Partition, 'none'>, begin: number): number {
  if (partition === '%M') return begin + MINUTE_MS;
  if (partition === '%H') return begin + 60 * MINUTE_MS;
  if (partition === '%d') return begin + 24 * 60 * MINUTE_MS;
  const [year = 0, month = 0] = partsOf(begin);
  return partition === '%m' ? Date.UTC(year, month + 1) : Date.UTC(year + 1, 0);
}

function withTime(prefix: string, time_ms: number): string {
  const [year = 0, month = 0, ...rest] = partsOf(time_ms);
  const texts = [String(year).padStart(4, '0'), ...[month + 1, ...rest].map((part) => String(part).padStart(2, '0'))];
  return prefix.replaceAll(/%[YmdHM]/g, (token) => texts[tokens.indexOf(token as (typeof tokens)[number])]!);
}
