import { create } from 'zustand';
import { useCase } from './case-state.ts';
import { prefer, usePreferences } from './preferences.ts';

/** Least and greatest value on the y-axis of a lane. */
export type LaneRange = readonly [low: number, high: number];

/** A lane whose range is being set, and what is drawn of it now. */
export interface RangedLane {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly shown: LaneRange;
  /** Every lane of the same metric and unit, itself included. */
  readonly alike: readonly string[];
}

export const useRangedLane = create<{ readonly lane: RangedLane | null }>()(() => ({ lane: null }));
export const openRange = (lane: RangedLane | null): void => useRangedLane.setState({ lane });

const none: Readonly<Record<string, LaneRange>> = {};
/** The ranges that were set in the open case, by lane. */
export const laneRanges = (): Readonly<Record<string, LaneRange>> =>
  usePreferences.getState().ranges[useCase.getState().name ?? ''] ?? none;

/** @param range null: as the data is */
export function setRange(lanes: readonly string[], range: LaneRange | null): void {
  const others = Object.entries(laneRanges()).filter(([id]) => !lanes.includes(id));
  const own = range === null ? [] : lanes.map((id) => [id, range] as const);
  const { ranges } = usePreferences.getState();
  prefer({ ranges: { ...ranges, [useCase.getState().name ?? '']: Object.fromEntries([...others, ...own]) } });
}

/** What was typed as a range; null: no two numbers, the first below the second. */
export function rangeOf(low: string, high: string): LaneRange | null {
  const [from, to] = [low, high].map((text) => (text.trim() === '' ? Number.NaN : Number(text)));
  return Number.isFinite(from) && Number.isFinite(to) && from! < to! ? [from!, to!] : null;
}
