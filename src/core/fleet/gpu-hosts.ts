import type { FleetGpus } from '../../model/contract/index.ts';
import { median } from '../analysis/statistics.ts';

/** What a GPU measured of one metric in one part of a time: a row of gpu-buckets.sql. */
export interface GpuBucket {
  readonly gpu: number;
  readonly metric: string;
  readonly part: number;
  readonly lowest: number;
  readonly highest: number;
  readonly bits: number | null;
  readonly grown: number;
  readonly changes: number;
}

/** Bits of NVML's clocksEventReasons that hold a GPU down: power cap, hardware, heat by software and hardware, power brake. */
const HELD_DOWN = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

/** null: not recorded. */
type Part = number | null;

interface Gpu {
  readonly gpu: string;
  readonly host: string;
  /** By part of the time: 1 throttled, 0 not. */
  readonly throttled: readonly Part[];
  readonly utilization: readonly Part[];
  readonly temperature: readonly Part[];
  readonly xids: number | null;
  readonly ecc_corrected: number | null;
  readonly ecc_uncorrected: number | null;
}

/**
 * Figures of GPUs and their hosts, the worst first: Xids and uncorrected errors, then the time throttled, corrected errors, heat.
 *
 * @param about name of a GPU, and what it is within as `kind:id`, outermost first
 */
export function gpuHosts(
  rows: readonly GpuBucket[],
  buckets: number,
  about: (gpu: number) => { readonly gpu: string; readonly within: readonly string[] },
): FleetGpus {
  const gpus = [...Map.groupBy(rows, ({ gpu }) => gpu)].map(([number, own]): Gpu => {
    const { gpu, within } = about(number);
    return { gpu, host: hostOf(gpu, within), ...measuredBy(own, buckets) };
  });
  const hosts = [...Map.groupBy(gpus, ({ host }) => host)].map(([host, own]) => ({
    host,
    gpus: own.length,
    ...figuresOf(own),
    heat: {
      throttled: byPart(buckets, own, 'throttled', share),
      utilization: byPart(buckets, own, 'utilization', lowest),
      temperature: byPart(buckets, own, 'temperature', highest),
    },
  }));
  const alone = gpus.map((one) => ({ gpu: one.gpu, host: one.host, ...figuresOf([one]) }));
  const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  return {
    hosts: hosts.sort((a, b) => worse(a, b) || byName(a.host, b.host)),
    gpus: alone.sort((a, b) => worse(a, b) || byName(a.gpu, b.gpu)),
  };
}

/** The machine that it is within, else the part of its name that is one. */
function hostOf(gpu: string, within: readonly string[]): string {
  const machine = within.findLast((place) => /^(?:server|node):/.test(place)) ?? within.at(-1);
  return machine === undefined
    ? gpu.slice(0, Math.max(0, gpu.lastIndexOf('/')))
    : machine.slice(machine.indexOf(':') + 1);
}

function measuredBy(rows: readonly GpuBucket[], buckets: number): Omit<Gpu, 'gpu' | 'host'> {
  const parts = (
    wanted: (metric: string) => boolean,
    value: (row: GpuBucket) => number,
    join: typeof highest,
  ): Part[] => {
    const found: number[][] = Array.from({ length: buckets }, () => []);
    for (const row of rows) if (wanted(row.metric)) found[row.part]?.push(value(row));
    return found.map(join);
  };
  const sum = (metric: string, value: (row: GpuBucket) => number): number | null => {
    const own = rows.filter((row) => row.metric === metric);
    return own.length === 0 ? null : own.reduce((total, row) => total + value(row), 0);
  };
  const isThrottle = (metric: string): boolean =>
    metric.includes('throttle') || metric.endsWith('clocks_event_reasons');
  return {
    throttled: parts(isThrottle, (row) => Number(isHeldDown(row)), highest),
    utilization: parts(
      (metric) => metric === 'hw.gpu.utilization',
      (row) => row.lowest,
      lowest,
    ),
    temperature: parts(
      (metric) => metric === 'hw.temperature',
      (row) => row.highest,
      highest,
    ),
    xids: sum('hw.gpu.xid', ({ changes }) => changes),
    ecc_corrected: sum('hw.gpu.ecc.corrected', ({ grown }) => grown),
    ecc_uncorrected: sum('hw.gpu.ecc.uncorrected', ({ grown }) => grown),
  };
}

/** Counters of seconds grow while it is; states are 1. */
const isHeldDown = ({ metric, bits, grown, highest: most }: GpuBucket): boolean =>
  bits !== null ? (bits & HELD_DOWN) !== 0 : metric.startsWith('hw.') ? grown > 0 : most > 0;

const lowest = (values: readonly number[]): Part =>
  values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
const highest = (values: readonly number[]): Part =>
  values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
const share = (values: readonly number[]): Part =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const known = (parts: readonly Part[]): number[] => parts.filter((part) => part !== null);

const byPart = (
  buckets: number,
  gpus: readonly Gpu[],
  name: 'throttled' | 'utilization' | 'temperature',
  join: typeof share,
): Part[] => Array.from({ length: buckets }, (_, part) => join(known(gpus.map((gpu) => gpu[name][part] ?? null))));

type Figures = Pick<
  FleetGpus['gpus'][number],
  'throttled' | 'utilization' | 'temperature' | 'xids' | 'ecc_corrected' | 'ecc_uncorrected'
>;

function figuresOf(gpus: readonly Gpu[]): Figures {
  const used = known(gpus.flatMap(({ utilization }) => utilization));
  const total = (name: 'xids' | 'ecc_corrected' | 'ecc_uncorrected'): number | null => {
    const counted = known(gpus.map((gpu) => gpu[name]));
    return counted.length === 0 ? null : counted.reduce((sum, count) => sum + count, 0);
  };
  return {
    throttled: share(known(gpus.flatMap(({ throttled }) => throttled))),
    utilization: used.length === 0 ? null : median(used),
    temperature: highest(known(gpus.flatMap(({ temperature }) => temperature))),
    xids: total('xids'),
    ecc_corrected: total('ecc_corrected'),
    ecc_uncorrected: total('ecc_uncorrected'),
  };
}

const worse = (a: Figures, b: Figures): number =>
  (b.xids ?? 0) + (b.ecc_uncorrected ?? 0) - (a.xids ?? 0) - (a.ecc_uncorrected ?? 0) ||
  (b.throttled ?? 0) - (a.throttled ?? 0) ||
  (b.ecc_corrected ?? 0) - (a.ecc_corrected ?? 0) ||
  (b.temperature ?? 0) - (a.temperature ?? 0);
