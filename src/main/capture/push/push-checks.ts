import { ProblemError } from '../../../model/problem.ts';
import type { FeedCheck } from '../../../model/storage/feed.ts';
import { checkListening, checkSecrets, checkWay, failed, passed } from '../connection-checks.ts';
import { withinLine } from '../feed-state.ts';
import { secret } from '../plan/secret.ts';
import { pushOtlp } from './push-otlp.ts';
import { type PushPlan, pushNames } from './push-plan.ts';

const PATIENCE_MS = 10_000;
/** An ExportTraceServiceRequest without spans: a receiver accepts it and stores nothing. */
const NO_TRACES = { traces: '{"resourceSpans":[]}', logs: '', metrics: '' };

export interface PlanTest {
  readonly name: string;
  checks(signal: AbortSignal): AsyncIterable<FeedCheck>;
}

/** Tests of a checked plan's push targets, in the order of `pushesOf`; no findings are sent. */
export function pushTests({ otlp, prometheus }: PushPlan): PlanTest[] {
  const tests: PlanTest[] = [];
  if (otlp) tests.push({ name: pushNames.otlp, checks: (signal) => checkReceiver(otlp, signal) });
  if (prometheus) {
    const checks = async function* () {
      yield await checkListening('the metrics page', prometheus.listen);
    };
    tests.push({ name: pushNames.prometheus, checks });
  }
  return tests;
}

async function* checkReceiver(
  { url, headers }: NonNullable<PushPlan['otlp']>,
  signal: AbortSignal,
): AsyncGenerator<FeedCheck> {
  const secrets = await checkSecrets(Object.values(headers));
  if (secrets) yield secrets;
  if (secrets?.passed === false) return;
  const { protocol, hostname, port } = new URL(url);
  for await (const check of checkWay(hostname, Number(port) || (protocol === 'https:' ? 443 : 80), PATIENCE_MS)) {
    yield check;
    if (!check.passed) return;
  }
  try {
    const places = Object.entries(headers).map(async ([name, place]) => [name, await secret(place)] as const);
    // A test reports the current state, without retries.
    const target = { url, headers: Object.fromEntries(await Promise.all(places)), tries: 1 };
    const left = await pushOtlp(target, NO_TRACES, signal);
    yield left.length > 0 ? failed('auth', withinLine(left.join('; '))) : passed('auth', `${url} accepts traces`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    yield failed('auth', error.problem.message, error.problem.hint);
  }
}
