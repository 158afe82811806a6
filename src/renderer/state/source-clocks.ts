import { create } from 'zustand';
import type { Lane, SourceInfo } from '../../model/contract/index.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import { annotate, freshAnnotation } from './annotations.ts';
import { useCase } from './case-state.ts';
import { notify } from './toasts.ts';

/** A clock that is being set: nothing is kept until it is said. */
export interface ClockDraft {
  readonly source: number;
  /** What is to be added to its recorded times, in all. */
  readonly offsetNs: bigint;
  readonly uncertaintyNs: bigint;
}

export const useClockDraft = create<{ readonly draft: ClockDraft | null }>()(() => ({ draft: null }));

/** How the times of a source are drawn. */
export interface SourceClock {
  readonly source: number;
  readonly name: string;
  /** What is added to its recorded times, in all. */
  readonly offsetNs: bigint;
  readonly uncertaintyNs: bigint;
  /** The part of it that answers of the core do not contain. */
  readonly shiftNs: bigint;
  readonly how: 'told' | 'estimated' | 'being set';
}

/** As the clocks stand: what was given, else what was estimated, and what is being set. */
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
        how: own ? 'being set' : isEstimated ? 'estimated' : 'told',
      };
      return [source_id, clock];
    }),
  );
}

/** Of a lane whose rows all come from one source; others have no one clock. */
export function clockOf(lane: Lane, clocks: ReadonlyMap<number, SourceClock>): SourceClock | undefined {
  const [source, ...others] = lane.sources;
  return source === undefined || others.length > 0 ? undefined : clocks.get(source);
}

/** As they stand right now, for what is no component. */
export const currentClocks = (): ReadonlyMap<number, SourceClock> => {
  const { info, clocks } = useCase.getState();
  return sourceClocks(info?.sources ?? [], clocks, useClockDraft.getState().draft);
};

/** The source whose clock a lane can set; tells why where there is none. */
export function settableSource(lane: Lane): number | null {
  const [source, ...others] = lane.sources;
  if (source !== undefined && others.length === 0) return source;
  notify(
    source === undefined
      ? 'this lane is worked out from others and has no clock of its own'
      : `the rows of this lane come from ${lane.sources.length} sources: move a lane of one of them`,
  );
  return null;
}

/**
 * Sets the clock of a source, as a draft.
 * @param finest the smallest step that can be seen, which is how sure a hand can be
 */
export function draftClock(source: number, offsetNs: bigint, finest: bigint): void {
  const { draft } = useClockDraft.getState();
  const uncertaintyNs = draft?.source === source ? draft.uncertaintyNs : finest;
  useClockDraft.setState({ draft: { source, offsetNs, uncertaintyNs } });
}

/** By so much more than it is drawn with. */
export function nudgeClock(source: number, byNs: bigint): void {
  const clock = currentClocks().get(source);
  if (clock) draftClock(source, clock.offsetNs + byNs, byNs < 0n ? -byNs : byNs);
}

export function setDraftUncertainty(uncertaintyNs: bigint): void {
  const { draft } = useClockDraft.getState();
  if (draft) useClockDraft.setState({ draft: { ...draft, uncertaintyNs } });
}

/** Answers whether there was a draft to drop. */
export function dropClock(): boolean {
  if (useClockDraft.getState().draft === null) return false;
  useClockDraft.setState({ draft: null });
  return true;
}

/** Keeps what is being set: one step, undone like any other; everything is ranked anew. Answers whether there was one. */
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
  void annotate(`clock of ${clock.name} set`, { put: [annotation] }).then((isSaved) => {
    if (isSaved && useClockDraft.getState().draft === draft) dropClock();
  });
  return true;
}
