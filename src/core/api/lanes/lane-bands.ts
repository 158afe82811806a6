import type { LaneBands } from '../../../model/contract/index.ts';
import { type BandTone, bandTones } from '../../../model/lane-kind.ts';

/** One stretch of time on a lane, in seconds after the asked window's start. */
export interface Band {
  readonly start_s: number;
  readonly end_s: number;
  readonly isOpen: boolean;
  readonly tone: BandTone;
  readonly name: string;
  /** Evidence id; '' where none stands for it. */
  readonly ref: string;
}

/** More than this in one lane's window cannot be distinguished on any screen. */
export const MOST_BANDS = 600;
const MOST_DEEP = 16;

export interface BandCounts {
  readonly density: Int32Array<ArrayBuffer>;
  readonly failed: Int32Array<ArrayBuffer>;
}
const none = new Int32Array(0);
export const noCounts: BandCounts = { density: none, failed: none };

/**
 * Bands as columns, each on the first free depth at its start.
 * @param bands ascending by start; null: too many to distinguish
 */
export function toBands(
  lane: string,
  bands: readonly Band[] | null,
  { density, failed }: BandCounts = noCounts,
): LaneBands {
  const list = bands ?? [];
  const names = new Map<string, number>();
  const nameOf = (name: string): number => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const name = Int32Array.from(list, (band) => nameOf(band.name));
  return {
    kind: 'bands',
    lane,
    start_s: Float64Array.from(list, ({ start_s }) => start_s),
    end_s: Float64Array.from(list, ({ end_s }) => end_s),
    is_open: Uint8Array.from(list, ({ isOpen }) => (isOpen ? 1 : 0)),
    tone: Uint8Array.from(list, ({ tone }) => bandTones.indexOf(tone)),
    depth: depthsOf(list),
    name,
    names: [...names.keys()],
    refs: list.map(({ ref }) => ref),
    density,
    failed,
    truncated: bands === null,
  };
}

function depthsOf(bands: readonly Band[]): Uint8Array<ArrayBuffer> {
  const ends: number[] = [];
  return Uint8Array.from(bands, ({ start_s, end_s }) => {
    let depth = ends.findIndex((end) => end <= start_s);
    if (depth < 0) depth = Math.min(ends.length, MOST_DEEP - 1);
    ends[depth] = Math.max(end_s, start_s);
    return depth;
  });
}
