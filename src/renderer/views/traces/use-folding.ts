import { useCallback, useMemo, useState } from 'react';
import { bisectLeft } from '../../../base/bisect.ts';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { tokenParents } from '../../../model/telemetry/token-parents.ts';
import type { WaterfallRows } from '../../draw/traces/waterfall-rows.ts';

const none: ReadonlySet<number> = new Set();

/** What is folded in a waterfall: spans by their `place`, which stays the same when folded tokens arrive. */
export function useFolding(traceGroup: TraceGroup) {
  const [places, setPlaces] = useState(() => foldedAtFirst(traceGroup));
  const [foldedTraces, setFoldedTraces] = useState(none);
  const folded = useMemo(() => foldedSpans(traceGroup, places), [traceGroup, places]);
  const unfoldTo = useCallback(
    (span: number) => {
      const above = new Set<number>();
      for (let at = traceGroup.parent[span]!; at >= 0; at = traceGroup.parent[at]!) above.add(traceGroup.place[at]!);
      setPlaces((before) => (before.size === 0 ? before : new Set([...before].filter((one) => !above.has(one)))));
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
      if (code >= 0) setPlaces(change(traceGroup.place[code]!));
      else setFoldedTraces(change(heads[-1 - code]?.trace ?? -1));
    },
    foldAll: (depth: number | null) => {
      setFoldedTraces(none);
      setPlaces(depth === null ? none : new Set(parentsAt(traceGroup, depth)));
    },
  });
  /** A band is to be unfolded whose spans are not here. */
  const lacksSpans = traceGroup.band_span.some((span) => !places.has(traceGroup.place[span]!));
  return { folded, foldedTraces, unfoldTo, actions, lacksSpans };
}

function foldedAtFirst(traceGroup: TraceGroup): ReadonlySet<number> {
  const { parents } = tokenParents(traceGroup);
  return new Set([...parents, ...traceGroup.band_span].map((span) => traceGroup.place[span]!));
}

/** A band stays folded until its spans are here. */
function foldedSpans({ place, band_span }: TraceGroup, places: ReadonlySet<number>): ReadonlySet<number> {
  const spans = new Set(band_span);
  for (const one of places) {
    const span = bisectLeft(place, one);
    if (place[span] === one) spans.add(span);
  }
  return spans;
}

const parentsAt = ({ depth, below, place }: TraceGroup, level: number): number[] =>
  Array.from(depth.keys()).flatMap((span) => (depth[span] === level && below[span]! > 0 ? [place[span]!] : []));

const without = (set: ReadonlySet<number>, key: number): ReadonlySet<number> =>
  set.has(key) ? new Set([...set].filter((one) => one !== key)) : set;
