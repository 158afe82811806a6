import type { LifeOutcome, LifeStage } from '../../../model/incident/lifecycle.ts';
import { lifeStages } from '../../../model/incident/lifecycle.ts';
import type { Life, LifeStep } from './life.ts';
import { inOrder, rankOfStage } from './life.ts';
import type { RepairSpan } from './repair-span.ts';
import { endsWith, reportOf } from './span-report.ts';
import { stageOfSpan } from './stages.ts';

/**
 * The lifecycle in one trace. Repair programs hand over through queues, so each piece of work is a root span, linked to the one
 * before: a step is such a root with its descendants.
 */
export function tracedLife(spans: readonly RepairSpan[]): Life | null {
  const known = new Map(spans.map((span) => [span.span_id, span]));
  const roots = spans.filter(({ parent_id }) => parent_id === '' || !known.has(parent_id));
  const below = Map.groupBy(spans, (span) => rootOf(span, known));
  const steps = roots.flatMap((root) => stepOf(root, below.get(root) ?? [root]) ?? []).toSorted(inOrder);
  const [first] = steps;
  if (!first) return null;
  const { outcome, why } = outcomeOf(spans, steps);
  return {
    ref: first.ref,
    trace_id: spans[0]?.trace_id ?? null,
    node: mostFrequentValue(spans, ['node'], ['node', 'name'], ['nodename']),
    trouble: mostFrequentValue(spans, ...troubleNames) ?? 'health event',
    start_ns: first.start_ns,
    end_ns: steps.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), first.end_ns),
    outcome,
    why,
    steps,
  };
}

/** Attributes that name the fault of a repair. */
const troubleNames = [
  ['check', 'name'],
  ['checkname'],
  ['error', 'code'],
  ['error', 'codes'],
  ['errorcode'],
  ['errorcodes'],
  ['rule', 'name'],
];

/** Cycles of parents are cut. */
function rootOf(span: RepairSpan, known: ReadonlyMap<string, RepairSpan>): RepairSpan {
  const seen = new Set<RepairSpan>();
  let at = span;
  for (;;) {
    seen.add(at);
    const parent = known.get(at.parent_id);
    if (!parent || seen.has(parent)) return at;
    at = parent;
  }
}

function stepOf(root: RepairSpan, spans: readonly RepairSpan[]): LifeStep | null {
  const stage = stageOfSpan(root.service, root.name);
  if (stage === null) return null;
  const report = reportOf(spans);
  return {
    stage: report?.outcome === 'recovered' ? 'recovery' : stage,
    name: root.name,
    start_ns: root.start_ns,
    end_ns: spans.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), root.end_ns),
    failed: root.failed || report?.outcome === 'failed' || report?.outcome === 'timed_out',
    message: report?.words ?? '',
    ref: `span:${root.trace_id}/${root.span_id}`,
  };
}

/** The last outcome of the furthest stage: a failure that was retried successfully does not count. */
function outcomeOf(spans: readonly RepairSpan[], steps: readonly LifeStep[]): { outcome: LifeOutcome; why: string } {
  const last = steps.reduce((furthest, step) =>
    rankOfStage(step.stage) > rankOfStage(furthest.stage) ||
    (step.stage === furthest.stage && step.end_ns >= furthest.end_ns)
      ? step
      : furthest,
  );
  const own = spans.filter(({ start_ns, end_ns }) => start_ns >= last.start_ns && end_ns <= last.end_ns);
  const report =
    reportOf(own.filter(({ service, name }) => stageOfSpan(service, name) !== null || service === '')) ?? reportOf(own);
  if (last.stage === 'recovery') return { outcome: 'recovered', why: last.message };
  if (report?.outcome === 'remediated' && last.stage !== 'remediation')
    return { outcome: 'stopped', why: stoppedAfter(last.stage) };
  if (report) return { outcome: report.outcome, why: report.words };
  return { outcome: 'stopped', why: stoppedAfter(last.stage) };
}

/** Text for the report: what is missing, not why. */
export function stoppedAfter(stage: LifeStage): string {
  const next = lifeStages[rankOfStage(stage) + 1];
  return stage === 'remediation'
    ? 'a repair began; outcome not recorded'
    : `no ${next ?? 'further step'} recorded after ${stage}`;
}

/** Most frequent value of attributes with a matching name. */
function mostFrequentValue(spans: readonly RepairSpan[], ...endings: readonly (readonly string[])[]): string | null {
  const counts = new Map<string, number>();
  for (const { attributes } of spans)
    for (const [name, value] of Object.entries(attributes))
      if (
        endings.some((words) => endsWith(name, ...words)) &&
        (typeof value === 'string' || typeof value === 'number') &&
        value !== ''
      )
        counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? null;
}
