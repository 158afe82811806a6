import type { LifeOutcome, LifeStage } from '../../../model/incident/lifecycle.ts';

/** Something that was done, or that happened, to a node on its way through a repair. */
export interface LifeStep {
  readonly stage: LifeStage;
  /** As its source calls it: `node_drainer.drain_session`, `node_quarantined`. */
  readonly name: string;
  /** On the case's clock; a moment where both are the same. */
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly failed: boolean;
  /** What its source says of how it went; '' where it says nothing. */
  readonly says: string;
  readonly ref: string;
}

/** One health event from its detection to its outcome. */
export interface Life {
  /** Stable across runs: that of its first step. */
  readonly ref: string;
  readonly trace_id: string | null;
  /** null: nobody says which. */
  readonly node: string | null;
  /** What was wrong: a check, an Xid, a condition. */
  readonly trouble: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly outcome: LifeOutcome;
  /** Why it ended so, in the words of whoever ended it where there are any. */
  readonly why: string;
  /** Ascending by start. */
  readonly steps: readonly LifeStep[];
}

/** A time in which nothing of a life was recorded, between what was. */
export interface LifeWait {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly after: LifeStage;
  readonly before: LifeStage;
}

/** Shorter is what handing over takes. */
const LEAST_WAIT_NS = 1_000_000n;

/** The gaps between the steps of a life; steps may overlap. */
export function waitsOf(steps: readonly LifeStep[]): readonly LifeWait[] {
  const waits: LifeWait[] = [];
  let last = steps[0];
  for (const step of steps) {
    if (!last) break;
    if (step.start_ns - last.end_ns >= LEAST_WAIT_NS)
      waits.push({ start_ns: last.end_ns, end_ns: step.start_ns, after: last.stage, before: step.stage });
    if (step.end_ns > last.end_ns) last = step;
  }
  return waits;
}
