import { type TokenMarkKind, tokenMarkKinds } from '../../../model/telemetry/token-marks.ts';
import { median, quantile } from '../statistics.ts';

/** Marks of one request: in ascending order, nanoseconds after its start, with the kind of each as a place in {@link tokenMarkKinds}. */
export interface RequestMarks {
  readonly after_ns: Float64Array;
  readonly kind: Uint8Array;
}

export interface TokenFigures {
  /** The finest that has two marks, else the finest; null without marks. */
  readonly pieces: TokenMarkKind | null;
  readonly count: number;
  readonly first_s: number | null;
  readonly median_gap_s: number | null;
  readonly p99_gap_s: number | null;
  /** Nanoseconds after the start of the request; `after`: how many marks came before it. */
  readonly longest: { readonly from_ns: number; readonly until_ns: number; readonly after: number } | null;
  readonly gap_ends_ns: Float64Array<ArrayBuffer>;
  readonly gaps_s: Float64Array<ArrayBuffer>;
}

/** Of fewer gaps the 99th percentile is the longest. */
const LEAST_FOR_P99 = 100;
const FIRST = tokenMarkKinds.indexOf('first');
const NONE = new Float64Array(0);
/** A chart has no room for more. */
const MOST_DRAWN = 600;

/** Kinds are not mixed: what is between two chunks is not what is between two tokens. */
export function tokenFigures({ after_ns, kind }: RequestMarks): TokenFigures {
  const byKind = tokenMarkKinds.map((_, code) => after_ns.filter((_, at) => kind[at] === code));
  const finest = [...tokenMarkKinds.keys()].toReversed();
  const code = finest.find((one) => byKind[one]!.length >= 2) ?? finest.find((one) => byKind[one]!.length > 0);
  const pieces = code === undefined ? null : tokenMarkKinds[code]!;
  const marks = code === undefined ? NONE : withFirst(byKind[code]!, pieces === 'token' ? byKind[FIRST]! : NONE);
  const first_s = after_ns.length === 0 ? null : after_ns[0]! / 1e9;
  // Several "first" marks are retries, or parts of an answer: nothing is known of what came between them.
  const gaps = pieces === 'first' ? NONE : gapsBetween(marks);
  const seconds = [...gaps];
  return {
    ...{ pieces, count: marks.length, first_s },
    median_gap_s: gaps.length === 0 ? null : median(gaps),
    p99_gap_s: gaps.length < LEAST_FOR_P99 ? null : quantile(seconds, 0.99),
    longest: longestOf(marks, gaps),
    ...drawn(marks, gaps),
  };
}

/**
 * A program that marks each token may mark the first one otherwise. It is one of them if it came a usual gap before the others; if
 * it came with the first of them, that token has two marks.
 */
function withFirst(marks: Float64Array, [first, second]: Float64Array): Float64Array {
  if (first === undefined || second !== undefined || marks.length < 2) return marks;
  const isApart = (marks[0]! - first) / 1e9 > median(gapsBetween(marks)) / 2;
  return isApart ? Float64Array.of(first, ...marks) : marks;
}

/** Seconds from each mark to the next. */
function gapsBetween(marks: Float64Array): Float64Array {
  const gaps = new Float64Array(Math.max(marks.length - 1, 0));
  for (let at = 0; at < gaps.length; at++) gaps[at] = (marks[at + 1]! - marks[at]!) / 1e9;
  return gaps;
}

function longestOf(marks: Float64Array, gaps: Float64Array): TokenFigures['longest'] {
  let at = 0;
  for (let one = 1; one < gaps.length; one++) if (gaps[one]! > gaps[at]!) at = one;
  return gaps.length === 0 ? null : { from_ns: marks[at]!, until_ns: marks[at + 1]!, after: at + 1 };
}

/** The longest of each of at most {@link MOST_DRAWN} runs of gaps: a peak is never lost. */
function drawn(marks: Float64Array, gaps: Float64Array): Pick<TokenFigures, 'gap_ends_ns' | 'gaps_s'> {
  const each = Math.max(1, Math.ceil(gaps.length / MOST_DRAWN));
  const count = Math.ceil(gaps.length / each);
  const gap_ends_ns = new Float64Array(count);
  const gaps_s = new Float64Array(count);
  for (let at = 0; at < gaps.length; at++) {
    const run = Math.floor(at / each);
    if (at % each > 0 && gaps[at]! <= gaps_s[run]!) continue;
    gaps_s[run] = gaps[at]!;
    gap_ends_ns[run] = marks[at + 1]!;
  }
  return { gap_ends_ns, gaps_s };
}
