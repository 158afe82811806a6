import type { LifeOutcome } from '../../../model/incident/lifecycle.ts';
import type { RepairSpan } from './repair-span.ts';

/** How a span of a repair program ended, as its own attributes state it. */
export interface SpanReport {
  readonly outcome: Exclude<LifeOutcome, 'stopped'>;
  /** Reason as reported, else what reported the outcome. */
  readonly words: string;
}

/**
 * Values of a status, without case and separators. `Quarantined` is absent: it ends no repair.
 * Source: NVSentinel, docs/designs/031-OTEL-traces.md and data-models/pkg/model; Kubernetes condition reasons.
 */
const outcomeOfStatus = table({
  succeeded: 'remediated',
  success: 'remediated',
  completed: 'remediated',
  ready: 'remediated',
  failed: 'failed',
  failure: 'failed',
  error: 'failed',
  timeout: 'timed_out',
  timedout: 'timed_out',
  deadlineexceeded: 'timed_out',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  skipped: 'skipped',
  inprogress: 'in_progress',
  running: 'in_progress',
  pending: 'in_progress',
  unquarantined: 'recovered',
});
const statusKeys = new Set(['status', 'outcome', 'result', 'reason', 'condition', 'phase', 'state']);

/** Last word of a name whose value is true or false. */
const outcomeOfFlag = table({
  failed: 'failed',
  timeout: 'timed_out',
  timedout: 'timed_out',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  skipped: 'skipped',
});

/** First word of an operation, after the name of its program. */
const outcomeOfOperation = table({
  skip: 'skipped',
  skipped: 'skipped',
  cancel: 'cancelled',
  cancelled: 'cancelled',
  unquarantine: 'recovered',
  performuncordon: 'recovered',
});

/** From worst to best: the worst of a step counts. What was in progress is over once the step reports anything else. */
const order: readonly SpanReport['outcome'][] = [
  'timed_out',
  'failed',
  'cancelled',
  'skipped',
  'recovered',
  'remediated',
  'in_progress',
];

/** A map, because a recording may name anything: an object also answers to `constructor`. */
function table(outcomes: Readonly<Record<string, SpanReport['outcome']>>): ReadonlyMap<string, SpanReport['outcome']> {
  return new Map(Object.entries(outcomes));
}

const squeeze = (value: string): string => value.toLowerCase().replaceAll(/[\s_-]/g, '');

/** The words of a name: attributes and span names join them by dots and underscores. */
export const wordsOf = (name: string): readonly string[] => name.toLowerCase().split(/[._]/);

/** Whether a name ends with these words: `janitor.error.message` and `error_message` end with `error`, `message`. */
export const endsWith = (name: string, ...words: readonly string[]): boolean =>
  wordsOf(name).slice(-words.length).join() === words.join();

/** The worst outcome that spans of one step report; null if none reports any. */
export function reportOf(spans: readonly RepairSpan[]): SpanReport | null {
  const found = spans.flatMap((span) => [...reportsOf(span)]);
  return found.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))[0] ?? null;
}

function* reportsOf(span: RepairSpan): Generator<SpanReport> {
  const message = textOf(span, ['error', 'message'], ['failure', 'reason']) ?? span.status_message;
  const errorType = textOf(span, ['error', 'type']);
  const isTimeout = errorType !== undefined && squeeze(errorType).includes('timeout');
  if (span.failed || errorType !== undefined || textOf(span, ['error', 'message'], ['failure', 'reason']) !== undefined)
    yield { outcome: isTimeout ? 'timed_out' : 'failed', words: message || errorType || span.name };
  const skipped = textOf(span, ['skip', 'reason'], ['skipreason']);
  if (skipped !== undefined) yield { outcome: 'skipped', words: skipped };
  for (const [key, value] of Object.entries(span.attributes)) {
    const outcome = outcomeOfAttribute(key, value);
    if (outcome === undefined) continue;
    const isGood = outcome === 'remediated' || outcome === 'recovered';
    yield { outcome, words: message !== '' && !isGood ? message : value === true ? key : `${key} ${String(value)}` };
  }
  const operation = outcomeOfSpanName(span.name);
  if (operation !== undefined) yield { outcome: operation, words: skipped ?? (message || span.name) };
}

function outcomeOfAttribute(key: string, value: unknown): SpanReport['outcome'] | undefined {
  const last = wordsOf(key).at(-1) ?? '';
  if (value === true) return endsWith(key, 'timed', 'out') ? 'timed_out' : outcomeOfFlag.get(last);
  return typeof value === 'string' && statusKeys.has(last) ? outcomeOfStatus.get(squeeze(value)) : undefined;
}

function outcomeOfSpanName(name: string): SpanReport['outcome'] | undefined {
  const [operation = ''] = name.toLowerCase().split('.').slice(-1);
  return outcomeOfOperation.get(squeeze(operation)) ?? outcomeOfOperation.get(operation.split('_')[0] ?? '');
}

function textOf({ attributes }: RepairSpan, ...endings: readonly (readonly string[])[]): string | undefined {
  const found = Object.entries(attributes).find(
    ([name, value]) => typeof value === 'string' && value !== '' && endings.some((words) => endsWith(name, ...words)),
  );
  return found && String(found[1]);
}
