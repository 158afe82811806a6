import { type LifeOutcome, type LifeStage, lifeStages } from '../../../model/incident/lifecycle.ts';
import { nanoseconds } from '../../../model/time.ts';
import { lifecycle } from './parameters.ts';

/** A step of the repair of a node. */
export interface LifeStep {
  readonly stage: LifeStage;
  /** Name in its data source: `node_drainer.drain_session`, `node_quarantined`. */
  readonly name: string;
  /** On the case's clock; equal for an instant. */
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly failed: boolean;
  /** Result as reported by its data source; '' if none. */
  readonly message: string;
  readonly ref: string;
}

/** By start; steps of one instant in the order of the stages. */
export const inOrder = (a: LifeStep, b: LifeStep): number =>
  a.start_ns === b.start_ns ? rankOfStage(a.stage) - rankOfStage(b.stage) : a.start_ns < b.start_ns ? -1 : 1;

export const rankOfStage = (stage: LifeStage): number => lifeStages.indexOf(stage);

/** The lifecycle of a health event, from detection to outcome. */
export interface Life {
  /** Stable across runs: that of its first step. */
  readonly ref: string;
  readonly trace_id: string | null;
  /** null: unknown. */
  readonly node: string | null;
  /** The fault: a check, an Xid, a condition. */
  readonly trouble: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly outcome: LifeOutcome;
  /** Reason of the outcome, as reported if possible. */
  readonly why: string;
  /** Ascending by start. */
  readonly steps: readonly LifeStep[];
}

/** A time within a lifecycle without records. */
export interface LifeWait {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly after: LifeStage;
  readonly before: LifeStage;
}

/** The gaps between steps; steps may overlap. */
export function waitsOf(steps: readonly LifeStep[]): readonly LifeWait[] {
  const waits: LifeWait[] = [];
  let last = steps[0];
  for (const step of steps) {
    if (!last) break;
    if (step.start_ns - last.end_ns >= nanoseconds(lifecycle.leastWaitSeconds))
      waits.push({ start_ns: last.end_ns, end_ns: step.start_ns, after: last.stage, before: step.stage });
    if (step.end_ns > last.end_ns) last = step;
  }
  return waits;
}
