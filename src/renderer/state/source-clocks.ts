import { create } from 'zustand';
import type { Lane, SourceInfo } from '../../model/contract/index.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import { annotate, freshAnnotation } from './annotations.ts';
import { known } from './known.ts';
import { messages } from './messages.ts';
import { notify } from './toasts.ts';

/** A manual clock offset that is not saved yet. */
export interface ClockDraft {
  readonly source: number;
  /** Total offset added to the recorded times. */
  readonly offsetNs: bigint;
  readonly uncertaintyNs: bigint;
}

export const useClockDraft = create<{ readonly draft: ClockDraft | null }>()(() => ({ draft: null }));

/** Clock offset of a data source, as drawn. */
export interface SourceClock {
  readonly source: number;
  readonly name: string;
  /** Total offset added to the recorded times. */
  readonly offsetNs: bigint;
  readonly uncertaintyNs: bigint;
  /** The part of it that loaded data does not contain yet. */
  readonly shiftNs: bigint;
  readonly how: 'manual' | 'estimated' | 'being set';
}

/** Offsets in use: manual ones, or else estimates, and the draft. */
export function sourceClocks(
  sources: readonly SourceInfo[],
  estimates: readonly ClockEstimateView[],
  draft: ClockDraft | null,
): ReadonlyMap<number, SourceClock> {
  const estimateBySource = new Map(estimates.map((estimate) => [estimate.source_id, estimate]));
  return new Map(
    sources.map((source) => {
      const { source_id, name, clock_offset_ns: statedOffsetNs } = source;
      const estimate = estimateBySource.get(source_id);
      const isEstimated = estimate?.method === 'linked_pairs';
      const own = draft?.source === source_id ? draft : null;
      const offsetNs = own?.offsetNs ?? (isEstimated ? estimate.offset_ns : statedOffsetNs);
      const uncertainty = isEstimated ? estimate.uncertainty_ns : source.clock_uncertainty_ns;
      const clock: SourceClock = {
        source: source_id,
        name,
        offsetNs,
        uncertaintyNs: own?.uncertaintyNs ?? uncertainty,
        shiftNs: offsetNs - statedOffsetNs,
        how: own ? 'being set' : isEstimated ? 'estimated' : 'manual',
      };
      return [source_id, clock];
    }),
  );
}

/** Clock of a lane whose rows come from one data source; other lanes have no single clock. */
export function clockOf(lane: Lane, clocks: ReadonlyMap<number, SourceClock>): SourceClock | undefined {
  const [source, ...others] = lane.sources;
  return source === undefined || others.length > 0 ? undefined : clocks.get(source);
}

/** Current clocks, outside of components. */
export const currentClocks = (): ReadonlyMap<number, SourceClock> => {
  const { draft } = useClockDraft.getState();
  return sourceClocks(known('case.current')?.sources ?? [], known('clocks.list') ?? [], draft);
};

/** The data source whose clock a lane can set; shows a message if there is none. */
export function settableSource(lane: Lane): number | null {
  const [source, ...others] = lane.sources;
  if (source !== undefined && others.length === 0) return source;
  notify(source === undefined ? messages.derivedLane : messages.severalSources(lane.sources.length));
  return null;
}

/**
 * Drafts a clock offset of a data source.
 * @param finest smallest visible step, used as the uncertainty of a manual offset
 */
export function draftClock(source: number, offsetNs: bigint, finest: bigint): void {
  const { draft } = useClockDraft.getState();
  const uncertaintyNs = draft?.source === source ? draft.uncertaintyNs : finest;
  useClockDraft.setState({ draft: { source, offsetNs, uncertaintyNs } });
}

/** Adds to the drawn offset. */
export function nudgeClock(source: number, byNs: bigint): void {
  const clock = currentClocks().get(source);
  if (clock) draftClock(source, clock.offsetNs + byNs, byNs < 0n ? -byNs : byNs);
}

export function setDraftUncertainty(uncertaintyNs: bigint): void {
  const { draft } = useClockDraft.getState();
  if (draft) useClockDraft.setState({ draft: { ...draft, uncertaintyNs } });
}

/** Returns whether there was a draft. */
export function dropClock(): boolean {
  if (useClockDraft.getState().draft === null) return false;
  useClockDraft.setState({ draft: null });
  return true;
}

/** Saves the draft as one change with undo; everything is ranked again. Returns whether there was a draft. */
export function saveClock(): boolean {
  const { draft } = useClockDraft.getState();
  const clock = draft && currentClocks().get(draft.source);
  if (!draft || !clock) return false;
  const seconds = (ns: bigint): number => Number(ns) / 1e9;
  const annotation = {
    kind: 'clock',
    ...freshAnnotation(''),
    source: clock.source,
    name: clock.name,
    seconds: seconds(clock.offsetNs),
    uncertainty_s: seconds(clock.uncertaintyNs),
  } as const;
  void annotate(messages.clockSet(clock.name), { put: [annotation] }).then((isSaved) => {
    if (isSaved && useClockDraft.getState().draft === draft) dropClock();
  });
  return true;
}
