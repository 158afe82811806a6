import { bisectLeft } from '../../../base/bisect.ts';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { type TraceGroupScale, timeAtX, xOfTime } from './trace-group-scale.ts';

type Bands = Pick<TraceGroup, 'band_span' | 'band_rest_ns' | 'gap_band' | 'gap_from_ns' | 'gap_until_ns'>;
type Spans = Pick<TraceGroup, 'start_ns' | 'end_ns' | 'descendants'> & Bands;

/** The direct children of a span in order of their starts. */
interface Children {
  readonly starts: Float64Array;
  /** The last end so far: of each child and all before it. */
  readonly reach: Float64Array;
}

const known = new WeakMap<Spans, Map<number, Children>>();

function childrenOf(spans: Spans, span: number): Children {
  const bySpan = known.get(spans) ?? new Map<number, Children>();
  known.set(spans, bySpan);
  const before = bySpan.get(span);
  if (before) return before;
  const children: number[] = [];
  const last = span + spans.descendants[span]!;
  for (let child = span + 1; child <= last; child += 1 + spans.descendants[child]!) children.push(child);
  children.sort((a, b) => spans.start_ns[a]! - spans.start_ns[b]!);
  let until = spans.start_ns[span]!;
  const reach = Float64Array.from(children, (child) => {
    until = Math.max(until, spans.end_ns[child]!);
    return until;
  });
  const found = { starts: Float64Array.from(children, (child) => spans.start_ns[child]!), reach };
  bySpan.set(span, found);
  return found;
}

/** Less than the pixel that makes a gap, so that rounding never skips one. */
const ALMOST_PX = 0.99;

/**
 * The gaps of a pixel or more between the children of a span, as places on the screen. From each gap it goes to the first
 * child that may leave the next one: a frame costs as many steps as there are pixels, of however many children.
 */
export function bandGaps(spans: Spans, span: number, scale: TraceGroupScale): Gap[] {
  const band = spans.band_span.indexOf(span);
  return band < 0 ? gapsBetween(spans, span, scale) : knownGaps(spans, band, scale);
}

interface Gap {
  readonly left: number;
  readonly right: number;
}

const gapOf = (busy: number, left: number, { width }: TraceGroupScale): Gap[] =>
  left - busy >= 1 && left > 0 && busy < width ? [{ left: Math.max(busy, 0), right: Math.min(left, width) }] : [];

/** Of children that were folded on their way here: the longest. */
function knownGaps({ gap_band, gap_from_ns, gap_until_ns }: Bands, band: number, scale: TraceGroupScale): Gap[] {
  const gaps: Gap[] = [];
  for (let at = bisectLeft(gap_band, band); gap_band[at] === band; at++)
    gaps.push(...gapOf(xOfTime(scale, gap_from_ns[at]!), xOfTime(scale, gap_until_ns[at]!), scale));
  return gaps;
}

/** Whether a pixel is so short that bands have gaps of a pixel which are not known. */
export const isTooFine = ({ band_rest_ns }: Bands, { window, width }: TraceGroupScale): boolean => {
  const pixel_ns = (window.until - window.from) / width;
  return band_rest_ns.some((rest_ns) => rest_ns >= pixel_ns * ALMOST_PX);
};

function gapsBetween(spans: Spans, span: number, scale: TraceGroupScale): Gap[] {
  const { starts, reach } = childrenOf(spans, span);
  const gaps: Gap[] = [];
  let at = bisectLeft(starts, timeAtX(scale, 0));
  while (at < starts.length) {
    const busy = xOfTime(scale, at === 0 ? spans.start_ns[span]! : reach[at - 1]!);
    const left = xOfTime(scale, starts[at]!);
    gaps.push(...gapOf(busy, left, scale));
    if (left >= scale.width) break;
    at = Math.max(at + 1, bisectLeft(starts, timeAtX(scale, xOfTime(scale, reach[at]!) + ALMOST_PX)));
  }
  return gaps;
}

/**
 * The parts of the critical path in a span as places on the screen, each a pixel wide at least; those that touch are one. A span with
 * 100,000 tokens may have as many parts, and a frame draws no more of them than there are pixels.
 * @param parts places in the critical path, in order of time
 */
export function pathBands(
  path: Pick<TraceGroup, 'path_from_ns' | 'path_until_ns'>,
  parts: readonly number[],
  scale: TraceGroupScale,
): { left: number; right: number }[] {
  const bands: { left: number; right: number }[] = [];
  for (const at of parts) {
    const left = Math.max(xOfTime(scale, path.path_from_ns[at]!), 0);
    const until = Math.min(xOfTime(scale, path.path_until_ns[at]!), scale.width);
    if (until < left) continue;
    const right = Math.max(until, left + 1);
    const last = bands.at(-1);
    if (!last || left > last.right || right < last.left) bands.push({ left, right });
    else {
      last.left = Math.min(last.left, left);
      last.right = Math.max(last.right, right);
    }
  }
  return bands;
}
