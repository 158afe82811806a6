import type { LifeOutcome, LifeStage } from '../../../model/incident/lifecycle.ts';
import { lifeStages } from '../../../model/incident/lifecycle.ts';
import type { Life, LifeStep } from './life.ts';
import { stageOfSpan } from './stages.ts';

/** A span of a repair program. Times on the case's clock; ids as hex. */
export interface RepairSpan {
  readonly trace_id: string;
  readonly span_id: string;
  /** '' for a root. */
  readonly parent_id: string;
  readonly service: string;
  readonly name: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly failed: boolean;
  readonly status_message: string;
  /** Of the span, by name. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * The lifecycle in one trace. Repair programs hand over through queues, so each piece of work is a root span, linked to the one
 * before: a step is such a root with its descendants.
 */
export function tracedLife(spans: readonly RepairSpan[]): Life | null {
  const known = new Map(spans.map((span) => [span.span_id, span]));
  const roots = spans.filter(({ parent_id }) => parent_id === '' || !known.has(parent_id));
  const below = Map.groupBy(spans, (span) => rootOf(span, known));
  const steps = roots
    .flatMap((root) => stepOf(root, below.get(root) ?? [root]) ?? [])
    .sort((a, b) => (a.start_ns < b.start_ns ? -1 : a.start_ns > b.start_ns ? 1 : 0));
  const [first] = steps;
  if (!first) return null;
  const { outcome, why } = outcomeOf(spans, steps);
  return {
    ref: first.ref,
    trace_id: spans[0]?.trace_id ?? null,
    node: mostFrequentValue(spans, /(^|[._])node(_?name)?$/),
    trouble: mostFrequentValue(spans, /(check_?name|error_?codes?|xid\.error_code|rule\.name)$/) ?? 'health event',
    start_ns: first.start_ns,
    end_ns: steps.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), first.end_ns),
    outcome,
    why,
    steps,
  };
}

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
  const word = verdictOf(spans);
  return {
    stage: word?.outcome === 'recovered' ? 'recovery' : stage,
    name: root.name,
    start_ns: root.start_ns,
    end_ns: spans.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), root.end_ns),
    failed: root.failed || word?.outcome === 'failed',
    message: word?.words ?? '',
    ref: `span:${root.trace_id}/${root.span_id}`,
  };
}

interface Verdict {
  readonly outcome: Exclude<LifeOutcome, 'stopped'>;
  readonly words: string;
}

/** Outcomes by status value. `InProgress` and `Quarantined` are no outcomes. */
const statusPatterns: readonly (readonly [RegExp, Verdict['outcome']])[] = [
  [/^(failed|failure|error|timeout|timed_?out)$/i, 'failed'],
  [/^cancel/i, 'cancelled'],
  [/^skip/i, 'skipped'],
  [/^un-?quarantined$/i, 'recovered'],
];
const isStatus = /(^|[._])(status|outcome|reason|condition)$/;
const isSuccess = /^(succeeded|success|completed|ready)$/i;

/** The worst outcome in the spans of one step; null if there is none. */
function verdictOf(spans: readonly RepairSpan[]): Verdict | null {
  const found = spans.flatMap((span) => [...verdictsOf(span)]);
  const order: readonly Verdict['outcome'][] = ['failed', 'cancelled', 'skipped', 'recovered', 'remediated'];
  return found.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))[0] ?? null;
}

function* verdictsOf({ name, failed, status_message, attributes }: RepairSpan): Generator<Verdict> {
  const message = textOf(attributes, /error\.message$|failure_reason$/) ?? status_message;
  if (failed || (message !== '' && /error/.test(Object.keys(attributes).join())))
    yield { outcome: 'failed', words: message === '' ? `${name} failed` : message };
  const skipped = textOf(attributes, /skip\.?_?reason$/);
  if (skipped !== undefined) yield { outcome: 'skipped', words: skipped };
  else if (/(^|[._])skip(ped)?(_|$)/.test(name)) yield { outcome: 'skipped', words: name };
  if (/(^|[._])cancel/.test(name)) yield { outcome: 'cancelled', words: message === '' ? name : message };
  for (const [key, value] of Object.entries(attributes)) {
    if (!isStatus.test(key) || typeof value !== 'string') continue;
    const verdict = statusPatterns.find(([word]) => word.test(value));
    if (verdict) yield { outcome: verdict[1], words: message === '' ? `${key} ${value}` : message };
    else if (isSuccess.test(value)) yield { outcome: 'remediated', words: `${key} ${value}` };
  }
  if (/perform_uncordon|unquarantine/.test(name)) yield { outcome: 'recovered', words: name };
}

const textOf = (attributes: RepairSpan['attributes'], key: RegExp): string | undefined => {
  const found = Object.entries(attributes).find(
    ([name, value]) => key.test(name) && typeof value === 'string' && value !== '',
  );
  return found ? String(found[1]) : undefined;
};

/** The last outcome of the furthest stage: a failure that was retried successfully does not count. */
function outcomeOf(spans: readonly RepairSpan[], steps: readonly LifeStep[]): { outcome: LifeOutcome; why: string } {
  const last = steps.reduce((furthest, step) =>
    rank(step.stage) > rank(furthest.stage) || (step.stage === furthest.stage && step.end_ns >= furthest.end_ns)
      ? step
      : furthest,
  );
  const own = spans.filter(({ start_ns, end_ns }) => start_ns >= last.start_ns && end_ns <= last.end_ns);
  const verdict = verdictOf(own.filter(({ service, name }) => stageOfSpan(service, name) !== null || service === ''));
  const word = verdict ?? verdictOf(own);
  if (last.stage === 'recovery') return { outcome: 'recovered', why: last.message };
  if (word?.outcome === 'remediated' && last.stage !== 'remediation')
    return { outcome: 'stopped', why: stoppedAfter(last.stage) };
  if (word) return { outcome: word.outcome, why: word.words };
  return { outcome: 'stopped', why: stoppedAfter(last.stage) };
}

const rank = (stage: LifeStage): number => lifeStages.indexOf(stage);

/** Text for the report: what is missing, not why. */
export function stoppedAfter(stage: LifeStage): string {
  const next = lifeStages[rank(stage) + 1];
  return stage === 'remediation'
    ? 'a repair began; outcome not recorded'
    : `no ${next ?? 'further step'} recorded after ${stage}`;
}

/** Most frequent value of attributes with a matching name. */
function mostFrequentValue(spans: readonly RepairSpan[], key: RegExp): string | null {
  const counts = new Map<string, number>();
  for (const { attributes } of spans)
    for (const [name, value] of Object.entries(attributes))
      if (key.test(name) && (typeof value === 'string' || typeof value === 'number') && value !== '')
        counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? null;
}
