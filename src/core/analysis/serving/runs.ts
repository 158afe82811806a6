import type { ServingQuantity } from '../../../model/telemetry/serving-attributes.ts';
import { median } from '../statistics.ts';
import { serving } from './parameters.ts';
import type { Level, ServiceSeries, ServingTracks, Track } from './service-series.ts';

/** A time in which a condition held. */
export interface Run {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Of the readings by which it is known. */
  readonly slices: readonly number[];
}

/**
 * Times in which a condition holds for consecutive readings of a quantity.
 * @param holds undefined: unknown, which does not end a run
 */
export function runsWhere(
  track: Track | undefined,
  { slice_ns }: Pick<ServiceSeries, 'slice_ns'>,
  leastSeconds: number,
  holds: (level: Level) => boolean | undefined,
  leastReadings = 2,
): Run[] {
  const runs: number[][] = [];
  let isOpen = false;
  const { levels, interval } = track ?? { levels: [], interval: 1 };
  for (const level of levels) {
    const does = holds(level);
    if (does === undefined) continue;
    const open = runs.at(-1);
    if (!does) isOpen = false;
    else if (isOpen && open && level.slice - open.at(-1)! <= serving.mostGapIntervals * interval)
      open.push(level.slice);
    else {
      runs.push([level.slice]);
      isOpen = true;
    }
  }
  return runs
    .map((slices) => ({
      start_ns: BigInt(slices[0]!) * slice_ns,
      end_ns: BigInt(slices.at(-1)! + Math.round(interval)) * slice_ns,
      slices,
    }))
    .filter(
      ({ start_ns, end_ns, slices }) =>
        slices.length >= leastReadings && Number(end_ns - start_ns) / 1e9 >= leastSeconds,
    );
}

/**
 * Times in which a quantity is unlike what it was before them. Usual is the median of the latest levels that were not unlike, so that
 * what lasts does not become usual.
 * @param of what is compared of a level
 */
export function runsUnlikeBefore(
  track: Track,
  series: Pick<ServiceSeries, 'slice_ns'>,
  leastSeconds: number,
  isUnlike: (value: number, usual: number) => boolean,
  { of = 'mean', leastReadings }: { readonly of?: 'mean' | 'middle'; readonly leastReadings?: number } = {},
): Run[] {
  const usual: number[] = [];
  const unlike = new Set<number>();
  for (const level of track.levels) {
    if (usual.length >= serving.leastUsual && isUnlike(level[of], median(usual))) unlike.add(level.slice);
    else {
      usual.push(level[of]);
      if (usual.length > serving.mostUsual) usual.shift();
    }
  }
  return runsWhere(track, series, leastSeconds, ({ slice }) => unlike.has(slice), leastReadings);
}

const within = ({ tracks }: ServingTracks, quantity: ServingQuantity, { slices }: Run): Level[] => {
  const track = tracks.get(quantity);
  return track ? [...new Set(slices.flatMap((slice) => track.at(slice) ?? []))] : [];
};

const readings = (levels: readonly Level[]): number => levels.reduce((sum, one) => sum + one.readings, 0);

/** Mean of the readings of a run; NaN: none. */
export function meanIn(of: ServingTracks, quantity: ServingQuantity, run: Run): number {
  const levels = within(of, quantity, run);
  return levels.reduce((sum, { mean, readings: count }) => sum + mean * count, 0) / readings(levels);
}

/** NaN: none. */
export const middleIn = (of: ServingTracks, quantity: ServingQuantity, run: Run): number =>
  median(within(of, quantity, run).map(({ middle }) => middle));

export const highIn = (of: ServingTracks, quantity: ServingQuantity, run: Run): number =>
  within(of, quantity, run).reduce((most, { high }) => Math.max(most, high), 0);

/** NaN: none. */
export function totalIn(of: ServingTracks, quantity: ServingQuantity, run: Run): number {
  const levels = within(of, quantity, run);
  return levels.length === 0 ? Number.NaN : levels.reduce((sum, { total }) => sum + total, 0);
}

export const readingsIn = (of: ServingTracks, quantity: ServingQuantity, run: Run): number =>
  readings(within(of, quantity, run));

/** Usual level before a run; NaN: nothing was recorded before it. */
export function usualBefore({ tracks }: ServingTracks, quantity: ServingQuantity, { slices }: Run): number {
  const before = (tracks.get(quantity)?.levels ?? []).filter(({ slice }) => slice < slices[0]!);
  return before.length === 0 ? Number.NaN : median(before.map(({ mean }) => mean));
}

const MOST_REFS = 5;

/** Records behind a run, those of its first slices. */
export const refsOf = (of: ServingTracks, quantity: ServingQuantity, run: Run): string[] =>
  within(of, quantity, run)
    .flatMap(({ refs }) => refs)
    .slice(0, MOST_REFS);
