import { useEffect, useMemo } from 'react';
import type { SilenceView, SourceInfo } from '../../../model/contract/index.ts';
import { type LaneRow, rowAt } from '../../draw/timeline/row-layout.ts';
import { type Scene, type Silence, STILL } from '../../draw/timeline/scene.ts';
import { useClocks, useInfo, useLanes, useSilences } from '../../state/known.ts';
import {
  clockOf,
  currentClocks,
  draftClock,
  type SourceClock,
  settableSource,
  sourceClocks,
  useClockDraft,
} from '../../state/source-clocks.ts';
import type { ClockShift } from './lane-store.ts';
import type { Stage } from './stage.ts';

const none: readonly SourceInfo[] = [];

/** The clocks of all data sources, as the lanes are drawn. */
export function useSourceClocks(): ReadonlyMap<number, SourceClock> {
  const sources = useInfo()?.sources ?? none;
  const estimates = useClocks();
  const draft = useClockDraft((state) => state.draft);
  return useMemo(() => sourceClocks(sources, estimates, draft), [sources, estimates, draft]);
}

/** Draws every lane, and the outages of its feeds, on the clock of its data source, including a draft. */
export function useLaneShifts(stageOf: () => Stage | undefined): void {
  const lanes = useLanes();
  const silences = useSilences();
  const clocks = useSourceClocks();
  const missed = useMemo(() => {
    const bySource = Map.groupBy(silences, ({ source_id }) => source_id);
    const drawn = new Map(
      [...bySource].map(([source, own]) => [source, own.map((one) => moved(one, clocks.get(source)))]),
    );
    const found = new Map<string, readonly Silence[]>();
    for (const lane of lanes) {
      // A gap in one metric proves nothing about other lanes of its data source; a reported outage does.
      const isBorne = ({ reason }: Silence) => lane.kind === 'metric' || reason !== null;
      const own = whenAllWereDown(lane.sources.map((source) => (drawn.get(source) ?? noSilence).filter(isBorne)));
      if (own.length > 0) found.set(lane.id, own);
    }
    return found;
  }, [silences, lanes, clocks]);
  useEffect(() => {
    stageOf()?.hatch(missed);
  }, [missed, stageOf]);
  useEffect(() => {
    const shifts = new Map<string, bigint>();
    const mixed = new Map<string, readonly ClockShift[]>();
    const list = [...clocks.values()]
      .filter(({ shiftNs }) => shiftNs !== 0n)
      .map(({ source, shiftNs }) => ({ source_id: source, shift_ns: shiftNs }));
    for (const lane of lanes) {
      const shift = clockOf(lane, clocks)?.shiftNs ?? 0n;
      if (shift !== 0n) shifts.set(lane.id, shift);
      const isMixed = lane.kind === 'events' && lane.sources.length > 1;
      if (isMixed && list.some(({ source_id }) => lane.sources.includes(source_id))) mixed.set(lane.id, list);
    }
    stageOf()?.shift(shifts, mixed);
  }, [lanes, clocks, stageOf]);
}

const noSilence: readonly Silence[] = [];

const moved = ({ start_ns, end_ns, reason, is_open }: SilenceView, clock: SourceClock | undefined): Silence => ({
  startNs: start_ns + (clock?.shiftNs ?? 0n),
  endNs: is_open ? STILL : end_ns + (clock?.shiftNs ?? 0n),
  reason,
});

/** Lanes of several data sources have an outage only while all of them are down. */
export const whenAllWereDown = (sources: readonly (readonly Silence[])[]): readonly Silence[] =>
  sources.length === 0
    ? noSilence
    : sources.reduce((all, own) =>
        all.flatMap((one) =>
          own.flatMap((other) => {
            const startNs = one.startNs > other.startNs ? one.startNs : other.startNs;
            const endNs = one.endNs < other.endNs ? one.endNs : other.endNs;
            return startNs < endNs ? [{ startNs, endNs, reason: one.reason ?? other.reason }] : [];
          }),
        ),
      );

const DRAG_PX = 2;

/** Alt+drag shifts the clock of the lane's data source by the drag. Returns whether there is a lane. */
export function startClockDrag(down: PointerEvent, element: HTMLElement, scene: Scene): boolean {
  const rect = element.getBoundingClientRect();
  const row = rowAt(scene.layout, down.clientY - rect.top + scene.scrollTop);
  if (row?.kind !== 'lane') return false;
  const source = settableSource(row.lane);
  const clock = source === null ? undefined : currentClocks().get(source);
  if (source === null || !clock) return true;
  const stop = new AbortController();
  const { signal } = stop;
  const finest = BigInt(Math.ceil(scene.scale.nsPerPixel));
  element.setPointerCapture(down.pointerId);
  element.classList.add('setting-clock');
  element.addEventListener(
    'pointermove',
    (event) => {
      const dx = event.clientX - down.clientX;
      if (Math.abs(dx) < DRAG_PX) return;
      draftClock(source, clock.offsetNs + BigInt(Math.round(dx * scene.scale.nsPerPixel)), finest);
    },
    { signal },
  );
  element.addEventListener(
    'lostpointercapture',
    () => {
      stop.abort();
      element.classList.remove('setting-clock');
    },
    { signal },
  );
  return true;
}

/** A round step for the visible scale: 1, 2 or 5 of a unit. */
export function clockStep(nsPerPixel: number): bigint {
  const about = Math.max(1, nsPerPixel * 4);
  const unit = 10 ** Math.floor(Math.log10(about));
  const part = about / unit;
  return BigInt(Math.round(unit * (part < 2 ? 1 : part < 5 ? 2 : 5)));
}

/** The clock correction of a lane, for its hover; null: none. */
export function laneClock({ lane }: LaneRow): SourceClock | null {
  const clock = clockOf(lane, currentClocks());
  return clock && clock.offsetNs !== 0n ? clock : null;
}
