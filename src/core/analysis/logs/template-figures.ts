import { software } from '../software/parameters.ts';
import { binomialTail } from '../software/significance.ts';
import type { LogIndex } from './log-index.ts';
import { FIRST_ERROR } from './log-index.ts';
import { logs } from './parameters.ts';

/** A time of the index in seconds, end exclusive, and the selected resources; null: all. */
export interface LogWindow {
  readonly from_s: number;
  readonly to_s: number;
  /** When the incident began. */
  readonly since_s: number;
  readonly resources: ReadonlySet<number> | null;
  readonly buckets: number;
}

export type Novelty = 'new' | 'surging' | 'usual' | 'unknown';

export interface TemplateFigures {
  readonly template: number;
  /** Lines in the window. */
  readonly count: number;
  readonly first_s: number;
  readonly novelty: Novelty;
  readonly times_more: number | null;
  readonly severity: number;
  /** Resources, most lines first. */
  readonly resources: readonly number[];
  readonly counts: Int32Array<ArrayBuffer>;
}

export interface WindowFigures {
  readonly templates: readonly TemplateFigures[];
  readonly lines: number;
  readonly left_out: number;
  /** End of the `before` phase. */
  readonly since_s: number;
  /** Recorded time before that, of the selected resources; 0 if none. */
  readonly before_s: number;
}

interface Tally {
  count: number;
  before: number;
  after: number;
  /** Seconds with a line, before and after, one after another. */
  secondsBefore: number;
  secondsAfter: number;
  lastSecond: number;
  first_s: number;
  severity: number;
  readonly resources: Map<number, number>;
  readonly counts: Int32Array<ArrayBuffer>;
}

/**
 * Log lines of a window by template, and which templates are new or surging compared with the recording before the incident.
 * Lines within one second count as one in significance tests.
 */
export function templateFigures(index: LogIndex, window: LogWindow): WindowFigures {
  // A window before the incident is compared with the time before the window.
  const since_s = window.since_s < window.to_s ? window.since_s : window.from_s;
  const tallies = new Map<number, Tally>();
  const walk = { lines: 0, left_out: 0, recorded_s: Number.POSITIVE_INFINITY };
  const sources = new Set<number>();
  for (let i = 0; i < index.count; i++) {
    const resource = index.resource[i]!;
    if (window.resources && !window.resources.has(resource)) continue;
    const at = index.offset_s[i]!;
    walk.recorded_s = Math.min(walk.recorded_s, at);
    sources.add(index.source[i]!);
    if (at >= window.to_s) continue;
    const severity = index.severity[i]!;
    const lines = severity >= FIRST_ERROR ? 1 : index.share;
    const isInside = at >= window.from_s;
    if (isInside) walk.lines += lines;
    const template = index.template[i]!;
    if (template < 0) {
      if (isInside) walk.left_out += lines;
      continue;
    }
    const tally = tallies.get(template) ?? newTally(window.buckets);
    tallies.set(template, tally);
    count(tally, { at, lines, severity, resource, isInside, isAfter: at >= since_s, window });
  }
  const before_s = recordedTime(index, sources, { from_s: walk.recorded_s, to_s: since_s });
  const phases = { before_s, after_s: window.to_s - Math.max(since_s, window.from_s) };
  const judged = [...tallies].filter(([, tally]) => tally.count > 0);
  return {
    templates: judged.map(([template, tally]) => figuresOf(template, tally, phases, judged.length)),
    lines: walk.lines,
    left_out: walk.left_out,
    since_s,
    before_s,
  };
}

/**
 * Seconds in which one of these sources recorded, between its first and its last line: files of two recordings hours apart have
 * nothing between them, and a rate over those hours would make every line of the later one surge.
 */
function recordedTime(
  index: LogIndex,
  sources: ReadonlySet<number>,
  { from_s, to_s }: Pick<LogWindow, 'from_s' | 'to_s'>,
): number {
  const ranges = new Map<number, { first: number; last: number }>();
  for (let i = 0; i < index.count; i++) {
    const source = index.source[i]!;
    if (!sources.has(source)) continue;
    const at = index.offset_s[i]!;
    const range = ranges.get(source);
    if (!range) ranges.set(source, { first: at, last: at });
    else if (at < range.first) range.first = at;
    else if (at > range.last) range.last = at;
  }
  let sum = 0;
  let reached = from_s;
  for (const { first, last } of [...ranges.values()].sort((a, b) => a.first - b.first)) {
    const end = Math.min(last, to_s);
    sum += Math.max(0, end - Math.max(first, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

const newTally = (buckets: number): Tally => ({
  count: 0,
  before: 0,
  after: 0,
  secondsBefore: 0,
  secondsAfter: 0,
  lastSecond: Number.NaN,
  first_s: Number.POSITIVE_INFINITY,
  severity: 0,
  resources: new Map(),
  counts: new Int32Array(buckets),
});

interface Line {
  readonly at: number;
  readonly lines: number;
  readonly severity: number;
  readonly resource: number;
  readonly isInside: boolean;
  readonly isAfter: boolean;
  readonly window: LogWindow;
}

function count(tally: Tally, { at, lines, severity, resource, isInside, isAfter, window }: Line): void {
  const second = Math.floor(at);
  const isNext = second !== tally.lastSecond;
  tally.lastSecond = second;
  tally.first_s = Math.min(tally.first_s, at);
  if (!isAfter) {
    tally.before += lines;
    if (isNext) tally.secondsBefore++;
  } else if (isInside) {
    tally.after += lines;
    if (isNext) tally.secondsAfter++;
  }
  if (!isInside) return;
  tally.count += lines;
  tally.severity = Math.max(tally.severity, severity);
  tally.resources.set(resource, (tally.resources.get(resource) ?? 0) + lines);
  const { from_s, to_s, buckets } = window;
  const bucket = Math.min(buckets - 1, Math.floor(((at - from_s) / (to_s - from_s)) * buckets));
  tally.counts[bucket] = tally.counts[bucket]! + lines;
}

interface PhaseLengths {
  readonly before_s: number;
  readonly after_s: number;
}

function figuresOf(template: number, tally: Tally, phases: PhaseLengths, tested: number): TemplateFigures {
  const { before_s, after_s } = phases;
  const rates = before_s > 0 && after_s > 0 && tally.before > 0;
  return {
    template,
    count: tally.count,
    first_s: tally.first_s,
    novelty: noveltyOf(tally, phases, tested),
    times_more: rates ? tally.after / after_s / (tally.before / before_s) : null,
    severity: tally.severity,
    resources: [...tally.resources].sort((a, b) => b[1] - a[1]).map(([resource]) => resource),
    counts: tally.counts,
  };
}

function noveltyOf(tally: Tally, { before_s, after_s }: PhaseLengths, tested: number): Novelty {
  // Without an earlier recording, novelty is unknown.
  if (!(before_s > 0)) return 'unknown';
  if (tally.before === 0) return 'new';
  if (!(after_s > 0) || tally.after / after_s < software.surgeTimes * (tally.before / before_s)) return 'usual';
  // As many lines per second as in the quieter phase count as one.
  const clump = Math.max(1, Math.min(tally.after / tally.secondsAfter, tally.before / tally.secondsBefore));
  const [after, before] = [tally.after / clump, tally.before / clump];
  const chance = binomialTail(after, after + before, after_s / (after_s + before_s));
  return chance * tested <= logs.mostChance ? 'surging' : 'usual';
}
