import { spanMarks, type TraceGroupAnswer } from '../../../model/contract/index.ts';
import { tokenParents } from '../../../model/telemetry/token-parents.ts';
import type { ArrangedSpans } from '../../analysis/trace/arrange.ts';

type Bands = Pick<
  TraceGroupAnswer,
  'band_span' | 'band_count' | 'band_rest_ns' | 'gap_band' | 'gap_from_ns' | 'gap_until_ns' | 'place'
>;

/** Every span is there. */
export const noBands: Bands = {
  band_span: new Int32Array(0),
  band_count: new Int32Array(0),
  band_rest_ns: new Float64Array(0),
  gap_band: new Int32Array(0),
  gap_from_ns: new Float64Array(0),
  gap_until_ns: new Float64Array(0),
  place: new Int32Array(0),
};

/** Of fewer, folding saves nothing that is noticed. */
const LEAST_FOLDED = 2_000;
/** Gaps of a band, the longest: more than a screen has pixels. */
const MOST_GAPS = 4_096;

type Tree = Pick<ArrangedSpans, 'parent' | 'descendants' | 'end_ns'>;

/**
 * Leaves out the token spans that a waterfall folds at first, if there are thousands; what the other spans state stays: their self times,
 * the extent, idle times, failures. Tokens that are linked, have logs, outlast their parent or are marked in another way stay, too.
 * @param whole with every span
 */
export function foldTokens(whole: TraceGroupAnswer, tree: Tree): TraceGroupAnswer {
  const { folded, count } = foldedSpans(whole, tree);
  if (count < LEAST_FOLDED) return whole;
  const place = new Int32Array(folded.length - count);
  /** Index of each span that stays; of a folded one that of its parent. */
  const now = new Int32Array(folded.length);
  let kept = 0;
  for (let span = 0; span < folded.length; span++) {
    if (folded[span] === 1) now[span] = now[tree.parent[span]!]!;
    else {
      place[kept] = span;
      now[span] = kept++;
    }
  }
  const moved = (column: Int32Array): Int32Array<ArrayBuffer> =>
    column.map((span) => (span < 0 ? -1 : now[span]!)) as Int32Array<ArrayBuffer>;
  return {
    ...whole,
    ...spanColumns(whole, place),
    ...foldedPath(whole, now, folded),
    link_from: moved(whole.link_from),
    link_to: moved(whole.link_to),
    log_span: moved(whole.log_span),
    ...eventsOfKept(whole, now, folded),
    ...bandsOf(whole, tree, folded, now),
    place,
  };
}

function foldedSpans(whole: TraceGroupAnswer, tree: Tree) {
  const { parents, leaves } = tokenParents({ ...whole, ...tree });
  for (const span of [...whole.link_from, ...whole.link_to, ...whole.log_span]) if (span >= 0) leaves[span] = 0;
  let count = 0;
  for (let span = 0; span < leaves.length; span++) {
    if (leaves[span] === 0) continue;
    const above = tree.parent[span]!;
    const isWithin = whole.start_ns[span]! >= whole.start_ns[above]! && tree.end_ns[span]! <= tree.end_ns[above]!;
    const isPlain = (whole.marks[span]! & ~spanMarks.critical) === 0;
    if (isWithin && isPlain && parents.has(above)) count++;
    else leaves[span] = 0;
  }
  return { folded: leaves, count };
}

function spanColumns(whole: TraceGroupAnswer, place: Int32Array) {
  const ids = new BigUint64Array(whole.span_id.buffer, whole.span_id.byteOffset, whole.span_id.length / 8);
  const int32 = (column: Int32Array) => Int32Array.from(place, (span) => column[span]!);
  const uint8 = (column: Uint8Array) => Uint8Array.from(place, (span) => column[span]!);
  const float64 = (column: Float64Array) => Float64Array.from(place, (span) => column[span]!);
  return {
    span_id: new Uint8Array(BigUint64Array.from(place, (span) => ids[span]!).buffer),
    depth: int32(whole.depth),
    trace: int32(whole.trace),
    service: int32(whole.service),
    name: int32(whole.name),
    kind: uint8(whole.kind),
    status: uint8(whole.status),
    marks: uint8(whole.marks),
    start_ns: float64(whole.start_ns),
    length_ns: float64(whole.length_ns),
    shift_ns: float64(whole.shift_ns),
    self_ns: float64(whole.self_ns),
  };
}

/** Parts that follow one another in a span and its folded tokens are one part of that span. */
function foldedPath(whole: TraceGroupAnswer, now: Int32Array, folded: Uint8Array) {
  const { path_span, path_from_ns, path_until_ns, path_wait, path_after } = whole;
  const isBand = new Uint8Array(folded.length);
  for (let span = 0; span < folded.length; span++) if (folded[span] === 1) isBand[now[span]!] = 1;
  const starts: number[] = [];
  for (let at = 0; at < path_span.length; at++) {
    const own = now[path_span[at]!]!;
    const before = at - 1;
    const goesOn =
      at > 0 &&
      isBand[own] === 1 &&
      now[path_span[before]!] === own &&
      path_wait[at] === 0 &&
      path_wait[before] === 0 &&
      path_until_ns[before] === path_from_ns[at];
    if (!goesOn) starts.push(at);
  }
  const ends = starts.map((_, nth) => (starts[nth + 1] ?? path_span.length) - 1);
  return {
    path_span: Int32Array.from(starts, (at) => now[path_span[at]!]!),
    path_from_ns: Float64Array.from(starts, (at) => path_from_ns[at]!),
    path_until_ns: Float64Array.from(ends, (at) => path_until_ns[at]!),
    path_wait: Uint8Array.from(starts, (at) => path_wait[at]!),
    path_after: Int32Array.from(starts, (at) => (path_after[at]! < 0 ? -1 : now[path_after[at]!]!)),
  };
}

/** Events stand on the rows of their spans. */
function eventsOfKept({ event_span, event_ns, event_name }: TraceGroupAnswer, now: Int32Array, folded: Uint8Array) {
  const kept = Array.from(event_span.keys()).filter((at) => folded[event_span[at]!] === 0);
  return {
    event_span: Int32Array.from(kept, (at) => now[event_span[at]!]!),
    event_ns: Float64Array.from(kept, (at) => event_ns[at]!),
    event_name: Int32Array.from(kept, (at) => event_name[at]!),
  };
}

function bandsOf(whole: TraceGroupAnswer, tree: Tree, folded: Uint8Array, now: Int32Array) {
  const counts = new Map<number, number>();
  for (let span = 0; span < folded.length; span++) {
    if (folded[span] === 0) continue;
    const above = tree.parent[span]!;
    counts.set(above, (counts.get(above) ?? 0) + 1);
  }
  const spans = [...counts.keys()].sort((a, b) => a - b);
  const bands = spans.map((span) => longestGaps(whole.start_ns, tree, span));
  const gaps = bands.flatMap(({ kept }, band) => kept.map((gap) => ({ ...gap, band })));
  return {
    band_span: Int32Array.from(spans, (span) => now[span]!),
    band_count: Int32Array.from(spans, (span) => counts.get(span)!),
    band_rest_ns: Float64Array.from(bands, ({ rest_ns }) => rest_ns),
    gap_band: Int32Array.from(gaps, ({ band }) => band),
    gap_from_ns: Float64Array.from(gaps, ({ from }) => from),
    gap_until_ns: Float64Array.from(gaps, ({ until }) => until),
  };
}

/** Times without a child, from the start of a span to that of its last child; children stand in the order of their starts. */
function longestGaps(start_ns: Float64Array, { descendants, end_ns }: Tree, span: number) {
  const from_ns = new Float64Array(descendants[span]!);
  const length_ns = new Float64Array(descendants[span]!);
  let count = 0;
  let reached = start_ns[span]!;
  const last = span + descendants[span]!;
  for (let child = span + 1; child <= last; child += 1 + descendants[child]!) {
    if (start_ns[child]! > reached) {
      from_ns[count] = reached;
      length_ns[count++] = start_ns[child]! - reached;
    }
    reached = Math.max(reached, end_ns[child]!);
  }
  const rest_ns = length_ns.slice(0, count).sort()[count - 1 - MOST_GAPS] ?? 0;
  const kept: { from: number; until: number }[] = [];
  for (let at = 0; at < count; at++)
    if (length_ns[at]! > rest_ns) kept.push({ from: from_ns[at]!, until: from_ns[at]! + length_ns[at]! });
  return { kept, rest_ns };
}
