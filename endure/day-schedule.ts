/** Behaviour of a faulty device. `silent`: it gives no values; `odd`: some; `either`: the feed decides. */
export type Fate = 'silent' | 'either' | 'odd';

/** Time range in which a device was faulty, milliseconds of the real clock. */
export interface Episode {
  readonly mode: string;
  readonly fate: Fate;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** This machine's clock as the capture sees it was set by so much at this real time. */
export interface ClockStepDone {
  readonly at_ms: number;
  readonly by_ms: number;
}

/** One process of `faultline capture`, milliseconds of the real clock. */
export interface CaptureRun {
  readonly from_ms: number;
  readonly until_ms: number;
  /** By how much its clock was ahead of the real one when it began. */
  readonly ahead_ms: number;
  readonly steps: readonly ClockStepDone[];
}

/** A device falls ill at `at_s` for `for_s`, seconds from the begin of the day. */
export interface Illness {
  readonly mode: string;
  readonly at_s: number;
  readonly for_s: number;
}

/** Well and ill in turn until the day ends; a short day has short spells. */
export function illnesses(modes: readonly string[], day_s: number, random: () => number): readonly Illness[] {
  const longest = day_s > 300 ? 1 : 0.3;
  const all: Illness[] = [];
  for (let at_s = 5 + 15 * random() * longest; ; ) {
    const for_s = 3 + 25 * random() ** 2 * longest;
    if (at_s + for_s > day_s - 4) return all;
    all.push({ mode: modes[Math.floor(random() * modes.length)]!, at_s, for_s });
    at_s += for_s + 5 + 35 * random() * longest;
  }
}

/**
 * Where a real time lies in the case: after a step back all that was stamped before lies on the clock that is since, so that only steps
 * forward leave a trace.
 */
export function caseTime(run: CaptureRun, real_ms: number): number {
  const sum = run.steps
    .filter(({ at_ms, by_ms }) => by_ms < 0 || at_ms <= real_ms)
    .reduce((all, { by_ms }) => all + by_ms, 0);
  return real_ms + run.ahead_ms + sum;
}
