import { writeFileSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { ProblemError } from '../model/problem.ts';
import { ENDED_BY_MEMORY, type StatementAnswer, type StatementOrder } from '../model/storage/statement-process.ts';
import type { CaseCopy } from './engine/case-copy.ts';

/**
 * Runs statements of people over a copy of a case: one that takes all memory, or ends the database with an assertion, ends this
 * process and no capture. Its argument is the database file.
 */
const [, , database = ''] = process.argv;

/** More than any statement that ends; the database itself keeps to its own limit, but single values are beyond it. */
const MOST_BYTES = 3 * 2 ** 30;
const POLL_MS = 20;

/** What Electron gives a utility process in place of Node's channel. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: StatementOrder }) => void): void;
  postMessage(answer: StatementAnswer): void;
}
const { parentPort } = process as unknown as { readonly parentPort?: ParentPort };
const send = (answer: StatementAnswer): void => {
  if (parentPort) parentPort.postMessage(answer);
  else process.send?.(answer);
};

if (isMainThread) serve();
// In a thread of its own: what a statement has of constants is computed before this one is heard again.
else
  setInterval(() => {
    if (process.memoryUsage.rss() > MOST_BYTES) process.kill(process.pid, ENDED_BY_MEMORY);
  }, POLL_MS);

function serve(): void {
  new Worker(new URL(import.meta.url)).unref();
  if (parentPort) parentPort.on('message', ({ data }) => void take(data));
  else process.on('message', (order: StatementOrder) => void take(order));
  process.once('disconnect', () => process.exit(0));
  try {
    // Where the machine itself runs out of memory first, this process is the one to go.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}

interface OpenCopy {
  readonly copy: CaseCopy;
  running: number;
}
let newest: Promise<OpenCopy> | undefined;
const cancelled = new Map<number, AbortController>();

/** A copy that is as new as is asked; one that is older goes when its last statement has ended. */
async function copyOf(most_age_ms: number): Promise<OpenCopy> {
  const current = await newest?.catch(() => undefined);
  if (current && (performance.now() - current.copy.made_ms < most_age_ms || (await current.copy.isCurrent())))
    return current;
  // Somebody else may have begun one meanwhile.
  if (current === undefined || (await newest) === current) {
    newest = copied().then((copy) => ({ copy, running: 0 }));
    newest.catch(() => undefined);
    if (current?.running === 0) void current.copy.close();
  }
  return newest!;
}

/** The native library is loaded by the thread that needs it only. */
const copied = async (): Promise<CaseCopy> => (await import('./engine/case-copy.ts')).copyCase(database);

async function take(order: StatementOrder): Promise<void> {
  if (order.kind === 'cancel') return cancelled.get(order.id)?.abort(new Error('cancelled'));
  const { id } = order;
  const stop = new AbortController();
  cancelled.set(id, stop);
  try {
    send(await run(order, stop.signal));
  } catch (error) {
    if (error instanceof ProblemError) send({ id, kind: 'problem', problem: error.problem });
    else send({ id, kind: 'bug', message: error instanceof Error ? error.message : String(error) });
  } finally {
    cancelled.delete(id);
  }
}

async function run(
  { id, kind, sql, limit, most_age_ms }: Exclude<StatementOrder, { kind: 'cancel' }>,
  signal: AbortSignal,
): Promise<StatementAnswer> {
  const held = await copyOf(most_age_ms);
  held.running++;
  const session = await held.copy.engine.session();
  try {
    return kind === 'query'
      ? { id, kind: 'rows', rows: await session.queryUntrusted(sql, limit, signal) }
      : { id, kind: 'parquet', bytes: await session.queryParquet(sql, signal) };
  } finally {
    session.close();
    held.running--;
    if (held.running === 0 && (await newest?.catch(() => undefined)) !== held) await held.copy.close();
  }
}
