import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { busyTime, idleTimes, type Places, placesOf } from '../../draw/traces/trace-group-scale.ts';
import { extentOf, failedSpans, isFailed, labelOf, refOf, spanOfRef } from '../../draw/traces/trace-group-text.ts';
import {
  matching,
  nextSpan,
  rowOfSpan,
  tokenParents,
  type WaterfallRows,
  waterfallRows,
} from '../../draw/traces/waterfall-rows.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';

const none: ReadonlySet<number> = new Set();

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
  readonly found: number;
  readonly errors: number;
  /** Moves to the next (1) or previous (-1) span of a kind and unfolds its parents. */
  readonly goTo: (what: 'error' | 'match', by: 1 | -1) => void;
  readonly goToSpan: (span: number) => void;
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
  const folding = useFolding(traceGroup);
  const { folded, foldedTraces, unfoldTo } = folding;
  const rows = useMemo(
    () => waterfallRows(traceGroup, { folded, foldedTraces, least_ns: leastShare * busy_ns }),
    [traceGroup, folded, foldedTraces, leastShare, busy_ns],
  );
  const places = useMemo(() => placesOf(extent, idle, compressed), [extent, idle, compressed]);
  const ref = useFocus((focus) => focus.selected);
  const selected = useMemo(() => spanOfRef(traceGroup, ref), [traceGroup, ref]);
  const isMatch = useMemo(() => matching(traceGroup, search), [traceGroup, search]);
  const found = useMemo(() => (search.trim() === '' ? 0 : countOf(traceGroup, isMatch)), [traceGroup, search, isMatch]);
  const errors = useMemo(() => failedSpans(traceGroup), [traceGroup]);
  const goToSpan = useGoTo(traceGroup, { rows, focusSpan, unfoldTo, setCurrent });
  const goTo = (what: 'error' | 'match', by: 1 | -1) => {
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
  };
}

interface Going {
  readonly rows: WaterfallRows;
  readonly focusSpan: string | null;
  readonly unfoldTo: (span: number) => void;
  readonly setCurrent: (row: number) => void;
}

/** Unfolds the parents of a span and moves to its row; starts at the requested span. */
function useGoTo(traceGroup: TraceGroup, { rows, focusSpan, unfoldTo, setCurrent }: Going): (span: number) => void {
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
  useEffect(() => {
    if (focusSpan === null) return;
    const ref = focusSpan.startsWith('span:') ? focusSpan : `span:${traceGroup.traces[0]?.trace_id}/${focusSpan}`;
    const span = spanOfRef(traceGroup, ref);
    if (span >= 0) goTo(span);
  }, [traceGroup, focusSpan, goTo]);
  return goTo;
}

function countOf(traceGroup: TraceGroup, wanted: (span: number) => boolean): number {
  let count = 0;
  for (let span = 0; span < traceGroup.trace.length; span++) if (wanted(span)) count++;
  return count;
}

function useFolding(traceGroup: TraceGroup) {
  const [folded, setFolded] = useState(() => tokenParents(traceGroup));
  const [foldedTraces, setFoldedTraces] = useState(none);
  const unfoldTo = useCallback(
    (span: number) => {
      const above = new Set<number>();
      for (let at = traceGroup.parent[span]!; at >= 0; at = traceGroup.parent[at]!) above.add(at);
      setFolded((before) => (before.size === 0 ? before : new Set([...before].filter((one) => !above.has(one)))));
      setFoldedTraces((before) => without(before, traceGroup.trace[span]!));
    },
    [traceGroup],
  );
  const actions = ({ rows, heads }: WaterfallRows) => ({
    isFolded: (row: number): boolean => {
      const code = rows[row]!;
      return code >= 0 ? folded.has(code) : foldedTraces.has(heads[-1 - code]?.trace ?? -1);
    },
    fold: (row: number, fold: boolean) => {
      const code = rows[row]!;
      const change = (key: number) => (before: ReadonlySet<number>) =>
        fold ? new Set([...before, key]) : without(before, key);
      if (code >= 0) setFolded(change(code));
      else setFoldedTraces(change(heads[-1 - code]?.trace ?? -1));
    },
    foldAll: (depth: number | null) => {
      setFoldedTraces(none);
      setFolded(
        depth === null
          ? none
          : new Set(
              Array.from(traceGroup.depth.keys()).filter(
                (span) => traceGroup.depth[span] === depth && traceGroup.descendants[span]! > 0,
              ),
            ),
      );
    },
  });
  return { folded, foldedTraces, unfoldTo, actions };
}

const without = (set: ReadonlySet<number>, key: number): ReadonlySet<number> =>
  set.has(key) ? new Set([...set].filter((one) => one !== key)) : set;

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
