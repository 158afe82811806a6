import { rowCount } from '../../../model/rows/rows.ts';
import type { FeedCheck } from '../../../model/storage/feed.ts';
import { nanos } from '../../../model/time.ts';
import { checkWay } from '../connection-checks.ts';
import { type CloudPoll, rowsOf } from './poll.ts';

const PATIENCE_MS = 5000;

export interface CloudCheck extends Pick<CloudPoll, 'poll' | 'whyNot'> {
  /** Address of the provider. */
  readonly endpoint: string;
  /** Finds credentials without using them. @returns a text for people */
  credentials(signal: AbortSignal): Promise<string>;
  readonly hint: string;
}

/** Tests the connection to a provider step by step. Writes nothing to a case. */
export async function* checkCloud(check: CloudCheck, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  const { endpoint, whyNot, hint } = check;
  try {
    yield { step: 'secret', passed: true, detail: await check.credentials(signal) };
  } catch (error) {
    yield { step: 'secret', passed: false, detail: whyNot(error), hint };
    return;
  }
  const { hostname, port, protocol } = new URL(endpoint);
  for await (const step of checkWay(hostname, Number(port) || (protocol === 'https:' ? 443 : 80), PATIENCE_MS)) {
    yield step;
    if (!step.passed) return;
  }
  try {
    const { answers, about } = await check.poll(signal);
    yield { step: 'auth', passed: true, detail: 'the credentials are accepted' };
    yield { step: 'view', passed: true, detail: about };
    const requestedAt = nanos(BigInt(Date.now()) * 1_000_000n);
    let rows = 0;
    for (const answer of answers) for await (const batch of rowsOf(answer, requestedAt)) rows += rowCount(batch);
    yield { step: 'values', passed: true, detail: `${rows} rows were read` };
  } catch (error) {
    const detail = whyNot(error);
    const step = /certificate|CERT|DEPTH_ZERO/.test(detail)
      ? 'tls'
      : /no permission to read|support plan/.test(detail)
        ? 'view'
        : 'auth';
    yield { step, passed: false, detail, hint: step === 'view' ? 'which roles do these credentials have?' : hint };
  }
}
