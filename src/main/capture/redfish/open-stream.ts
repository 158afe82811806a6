import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { withEither } from '../../../base/with-either.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { RedfishPlan } from './plan.ts';
import { Transport } from './transport.ts';

/** TCP keep-alive: detects a dead peer after this time without a byte. */
const KEEP_ALIVE_MS = 30_000;

/** Opens an endless response on a socket of its own, so that polls keep theirs. */
export async function openStream(
  plan: RedfishPlan,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly answer: IncomingMessage; close(): void }> {
  const transport = new Transport(plan, 1);
  const patience = new AbortController();
  const stop = new AbortController();
  const late = () => new ProblemError({ code: 'feed.timeout', message: 'its event stream did not start in time' });
  setTimeout(plan.timeout_s * 1000, undefined, { signal: stop.signal }).then(
    () => patience.abort(late()),
    () => undefined,
  );
  try {
    const answer = await withEither([signal, patience.signal], (both) =>
      transport.begin({ method: 'GET', path, headers, signal: both }),
    );
    answer.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    addAbortSignal(signal, answer);
    return { answer, close: () => transport.close() };
  } catch (error) {
    transport.close();
    throw patience.signal.aborted ? patience.signal.reason : error;
  } finally {
    stop.abort();
  }
}
