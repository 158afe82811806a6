import type { LifeOutcome, LifeStage } from '../../../model/incident/lifecycle.ts';
import { nanoseconds } from '../../../model/time.ts';
import { inOrder, type Life, type LifeStep, rankOfStage } from './life.ts';
import { lifecycle } from './parameters.ts';
import { stageOfEvent } from './stages.ts';
import { stoppedAfter } from './traced-life.ts';

/** An event of a node, or of a part of one. */
export interface RepairEvent {
  readonly ref: string;
  /** Name of its node, or of the node of its entity. */
  readonly node: string;
  readonly type: string;
  readonly time_ns: bigint;
  readonly message: string;
}

/** Lifecycles from events: each begins with a detection or a quarantine, and ends with the node back in service. */
export const eventLives = (events: readonly RepairEvent[]): Life[] =>
  faultsOf(events).flatMap((own) => lifeOf(own) ?? []);

/** A detected fault of a node without later records. */
export interface Untreated {
  readonly ref: string;
  readonly node: string;
  readonly trouble: string;
  readonly start_ns: bigint;
  /** Number of detections. */
  readonly count: number;
  readonly message: string;
}

/** Detected faults without a recorded repair step or recovery. */
export const untreatedOf = (events: readonly RepairEvent[]): Untreated[] =>
  faultsOf(events).flatMap((own) => {
    const [first] = own;
    if (!first || !own.every(({ type }) => stageOfEvent(type) === 'detection')) return [];
    const { ref, node, type, time_ns, message } = first;
    return [{ ref, node, trouble: readableType(type), start_ns: time_ns, count: own.length, message: message }];
  });

/** The events of each node, by fault. */
function faultsOf(events: readonly RepairEvent[]): RepairEvent[][] {
  const troubles: RepairEvent[][] = [];
  for (const own of Map.groupBy(events, ({ node }) => node).values()) {
    let open: RepairEvent[] = [];
    const close = () => {
      if (open.length > 0) troubles.push(open);
      open = [];
    };
    for (const event of own.toSorted(byTimeAndStage)) {
      const stage = stageOfEvent(event.type);
      const last = open.at(-1);
      if (stage === null || (stage === 'recovery' && !last)) continue;
      if (last && event.time_ns - last.time_ns > nanoseconds(lifecycle.silenceSeconds)) close();
      open.push(event);
      if (stage === 'recovery') close();
    }
    close();
  }
  return troubles;
}

/** A document gives one time to all that was done: then the stages give the order. */
function byTimeAndStage(a: RepairEvent, b: RepairEvent): number {
  const rank = ({ type }: RepairEvent): number => rankOfStage(stageOfEvent(type) ?? 'detection');
  return a.time_ns === b.time_ns ? rank(a) - rank(b) : a.time_ns < b.time_ns ? -1 : 1;
}

const readableType = (type: string): string => type.replaceAll('_', ' ');

/** null: a detection without any repair step is an event, not a lifecycle. */
function lifeOf(events: readonly RepairEvent[]): Life | null {
  const steps = events.map(stepOf);
  const [first] = events;
  const last = steps.at(-1);
  if (!first || !last || !steps.some(({ stage }) => stage !== 'detection' && stage !== 'recovery')) return null;
  const reached = (stage: LifeStage): boolean => steps.some((step) => step.stage === stage);
  const { outcome, why } = outcomeOf(last, reached);
  return {
    ref: first.ref,
    trace_id: null,
    node: first.node,
    trouble: readableType(first.type),
    start_ns: first.time_ns,
    end_ns: last.end_ns,
    outcome,
    why,
    steps,
  };
}

function outcomeOf(last: LifeStep, reached: (stage: LifeStage) => boolean): Pick<Life, 'outcome' | 'why'> {
  if (reached('recovery')) return { outcome: 'recovered', why: readableType(last.name) };
  const end = endsOpen[last.name];
  if (end !== undefined) return { outcome: end, why: last.message || readableType(last.name) };
  return reached('remediation')
    ? { outcome: 'remediated', why: 'a repair action ran; no return to service recorded' }
    : { outcome: 'stopped', why: stoppedAfter(last.stage) };
}

/** Events that state themselves that their stage is not over, or failed. */
const endsOpen: Readonly<Record<string, LifeOutcome>> = {
  node_draining: 'in_progress',
  node_drain_failed: 'failed',
};

const stepOf = ({ ref, type, time_ns, message }: RepairEvent): LifeStep => ({
  stage: stageOfEvent(type)!,
  name: type,
  start_ns: time_ns,
  end_ns: time_ns,
  failed: type === 'node_drain_failed',
  message: message,
  ref,
});

/** Adds events of the node at the same time to a traced lifecycle; the remaining events are returned. */
export function withEvents(
  traced: readonly Life[],
  events: readonly RepairEvent[],
): { readonly lives: readonly Life[]; readonly left: readonly RepairEvent[] } {
  const taken = new Set<RepairEvent>();
  const byNode = Map.groupBy(events, ({ node }) => node);
  const lives = traced.map((life): Life => {
    const own = (byNode.get(life.node ?? '') ?? []).filter(
      ({ time_ns, type }) =>
        stageOfEvent(type) !== null &&
        time_ns >= life.start_ns - nanoseconds(lifecycle.beforeTraceSeconds) &&
        time_ns <= life.end_ns + nanoseconds(lifecycle.afterTraceSeconds),
    );
    if (own.length === 0) return life;
    for (const event of own) taken.add(event);
    const steps = [...life.steps, ...own.map(stepOf)].toSorted(inOrder);
    const back = own.findLast(({ type }) => stageOfEvent(type) === 'recovery');
    const isBack = back !== undefined && back.time_ns >= life.end_ns - nanoseconds(lifecycle.beforeTraceSeconds);
    const [first] = steps as [LifeStep];
    return {
      ...life,
      steps,
      start_ns: first.start_ns,
      end_ns: steps.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), life.end_ns),
      trouble: life.trouble === 'health event' ? readableType(own[0]?.type ?? life.trouble) : life.trouble,
      ...(isBack ? { outcome: 'recovered' as const, why: readableType(back.type) } : {}),
    };
  });
  return { lives, left: events.filter((event) => !taken.has(event)) };
}
