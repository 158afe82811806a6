import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { busyTime, idleTimes, isSameScale, type Places, placesOf } from '../../draw/traces/trace-group-scale.ts';
import { extentOf, failedSpans, isFailed, labelOf, refOf, spanOfRef } from '../../draw/traces/trace-group-text.ts';
import { matching, nextSpan, rowOfSpan, type WaterfallRows, waterfallRows } from '../../draw/traces/waterfall-rows.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useFolding } from './use-folding.ts';

/** Shares of the busy time below which spans can be hidden. */
export const leastShares = [0, 0.001, 0.01, 0.05] as const;

export interface Waterfall {
  readonly traceGroup: TraceGroup;
  readonly extent: { readonly from_ns: number; readonly until_ns: number };
  readonly rows: WaterfallRows;
  readonly places: Places;
  /** Row with the keyboard focus. */
  readonly current: number;
  readonly setCurrent: (row: number) => void;
  /** Selected span; -1: none of this trace group. */
  readonly selected: number;
  readonly leastShare: number;
  readonly setLeastShare: (share: number) => void;
  readonly compressed: boolean;
  readonly setCompressed: (compressed: boolean) => void;
  readonly isFolded: (row: number) => boolean;
  readonly fold: (row: number, folded: boolean) => void;
  readonly foldAll: (depth: number | null) => void;
  readonly search: string;
  readonly setSearch: (text: string) => void;
  /** Spans that match; null: not known without those that are folded. */
  readonly found: number | null;
  readonly errors: number;
  /** Moves to the next (1) or previous (-1) span of a kind and unfolds its parents. */
  readonly goTo: (what: 'error' | 'match', by: 1 | -1) => void;
  readonly goToSpan: (span: number) => void;
  /** What is asked of it takes the spans that were folded on their way here. */
  readonly needsWhole: boolean;
  readonly setTooFine: (isTooFine: boolean) => void;
}

/** State of the waterfall of one trace group: visible rows and keyboard focus. */
export function useWaterfall(traceGroup: TraceGroup, focusSpan: string | null): Waterfall {
  const extent = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const idle = useMemo(() => idleTimes(traceGroup), [traceGroup]);
  const busy_ns = busyTime(extent, idle);
  const [leastShare, setLeastShare] = useState(0);
  const [compressed, setCompressed] = useState(true);
  const [search, setSearch] = useState('');
  const [current, setCurrent] = useState(0);
  const [isTooFine, setTooFine] = useState(false);
  const folding = useFolding(traceGroup);
  const { folded, foldedTraces, unfoldTo } = folding;
  const rows = useMemo(
    () => waterfallRows(traceGroup, { folded, foldedTraces, least_ns: leastShare * busy_ns }),
    [traceGroup, folded, foldedTraces, leastShare, busy_ns],
  );
  const places = usePlaces(extent, idle, compressed);
  const ref = useFocus((focus) => focus.selected);
  const selected = useMemo(() => spanOfRef(traceGroup, ref), [traceGroup, ref]);
  const isMatch = useMemo(() => matching(traceGroup, search), [traceGroup, search]);
  const isSought = search.trim() !== '';
  const isWhole = traceGroup.band_span.length === 0;
  const found = useMemo(
    () => (!isSought ? 0 : isWhole ? countOf(traceGroup, isMatch) : null),
    [traceGroup, isSought, isWhole, isMatch],
  );
  const errors = useMemo(() => failedSpans(traceGroup), [traceGroup]);
  const { goToSpan, isMissing } = useGoTo(traceGroup, { rows, focusSpan, unfoldTo, setCurrent });
  const goTo = (what: 'error' | 'match', by: 1 | -1) => {
    if (what === 'match' && !isWhole) return;
    const from = rows.rows[current] ?? -1;
    const wantedOf = what === 'error' ? (span: number) => isFailed(traceGroup, span) : isMatch;
    const span = nextSpan(traceGroup.trace.length, Math.max(from, by > 0 ? -1 : 0), by, wantedOf);
    if (span >= 0) goToSpan(span);
  };
  return {
    traceGroup,
    extent,
    rows,
    places,
    current: Math.min(current, rows.rows.length - 1),
    setCurrent,
    selected,
    leastShare,
    setLeastShare,
    compressed,
    setCompressed,
    ...folding.actions(rows),
    search,
    setSearch,
    found,
    errors,
    goTo,
    goToSpan,
    needsWhole: !isWhole && (folding.lacksSpans || isMissing || isSought || leastShare > 0 || isTooFine),
    setTooFine,
  };
}

/** The same object while nothing changes, so that the zoom stays when folded spans arrive: they fill no idle time. */
function usePlaces(extent: Waterfall['extent'], idle: Parameters<typeof placesOf>[1], compressed: boolean): Places {
  const found = useMemo(() => placesOf(extent, idle, compressed), [extent, idle, compressed]);
  const kept = useRef(found);
  if (!isSameScale(kept.current, found)) kept.current = found;
  return kept.current;
}

interface Going {
  readonly rows: WaterfallRows;
  readonly focusSpan: string | null;
  readonly unfoldTo: (span: number) => void;
  readonly setCurrent: (row: number) => void;
}

/** Unfolds the parents of a span and moves to its row; starts at the requested span, which may be missing as long as tokens are folded. */
function useGoTo(traceGroup: TraceGroup, { rows, focusSpan, unfoldTo, setCurrent }: Going) {
  const [wanted, setWanted] = useState(-1);
  const goTo = useCallback(
    (span: number) => {
      unfoldTo(span);
      setWanted(span);
    },
    [unfoldTo],
  );
  // Before the next key is handled: a step that starts at an old row would not move.
  useLayoutEffect(() => {
    if (wanted < 0) return;
    const row = rowOfSpan(rows, traceGroup, wanted);
    if (row >= 0) setCurrent(row);
    setWanted(-1);
  }, [wanted, rows, traceGroup, setCurrent]);
  const focused = useMemo(() => {
    if (focusSpan === null) return -1;
    const ref = focusSpan.startsWith('span:') ? focusSpan : `span:${traceGroup.traces[0]?.trace_id}/${focusSpan}`;
    return spanOfRef(traceGroup, ref);
  }, [traceGroup, focusSpan]);
  const reached = useRef<string>(null);
  useEffect(() => {
    if (focused < 0 || reached.current === focusSpan) return;
    reached.current = focusSpan;
    goTo(focused);
  }, [focused, focusSpan, goTo]);
  return { goToSpan: goTo, isMissing: focusSpan !== null && focused < 0 };
}

function countOf(traceGroup: TraceGroup, wanted: (span: number) => boolean): number {
  let count = 0;
  for (let span = 0; span < traceGroup.trace.length; span++) if (wanted(span)) count++;
  return count;
}

/**
 * Selects a span in all views at its recorded time, which the other views show. The shared window moves only if the span is
 * outside of it.
 */
export function selectSpan(traceGroup: TraceGroup, span: number): void {
  const recorded_ns = traceGroup.start_ns[span]! - traceGroup.shift_ns[span]!;
  const at = (traceGroup.origin_ns ?? 0n) + BigInt(Math.round(recorded_ns));
  select(refOf(traceGroup, span), nanos(at));
  showDetails();
}

/** Actions of the span of a row. */
export function targetOfRow({ traceGroup, rows }: Waterfall, row: number): ActionTarget | null {
  const code = rows.rows[row];
  return code === undefined || code < 0 ? null : recordTarget(labelOf(traceGroup, code), [refOf(traceGroup, code)]);
}
