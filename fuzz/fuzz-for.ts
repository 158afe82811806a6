import { fork } from 'node:child_process';
import { renameSync } from 'node:fs';
import type { Message, Order } from './child.ts';
import { processorMs } from './processor-time.ts';
import type { Crash } from './run-target.ts';

/** An input that takes longer counts as a crash: so much processor time, and no less by the clock ... */
const HANG_MS = 5000;
/** ... or this by the clock alone. */
const WAIT_MS = 180_000;
/** Until the first input: some targets open a case. */
const START_MS = 120_000;
/** An input that needs more counts as a crash too. */
const HEAP_MIB = 1500;

export interface Sum {
  inputs: number;
  rows: number;
  rejects: number;
  readonly crashes: Crash[];
}

/** A process for as long as it lives; what ends it early is a crash, and the next seed goes on. */
function fuzzInProcess(order: Order, sum: Sum): Promise<number | null> {
  const child = fork(new URL('./child.ts', import.meta.url), {
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MIB}`],
    silent: true,
  });
  let last: Extract<Message, { kind: 'begun' }> | undefined;
  let failure = '';
  let hung = '';
  const hang = (how: string): void => {
    hung = how;
    child.kill('SIGKILL');
  };
  let watch = setTimeout(hang, START_MS, 'it did not begin');
  const watchInput = (): void => {
    clearTimeout(watch);
    const [from, had_ms] = [Date.now(), processorMs(child.pid!)];
    const checkProgress = (): void => {
      // Beside other work it may wait for a processor for long, and that is no fault of the input.
      const [took_ms, passed_ms] = [processorMs(child.pid!) - had_ms, Date.now() - from];
      if (took_ms >= HANG_MS || passed_ms >= WAIT_MS) hang(`${took_ms} ms of processor in ${passed_ms} ms`);
      else watch = setTimeout(checkProgress, HANG_MS / 5);
    };
    watch = setTimeout(checkProgress, HANG_MS);
  };
  child.stderr?.on('data', (text: Buffer) => {
    failure = (failure + text.toString()).slice(-2000);
  });
  child.on('message', (message: Message) => {
    watchInput();
    if (message.kind === 'begun') {
      last = message;
      return;
    }
    sum.inputs += message.inputs;
    sum.rows += message.rows;
    sum.rejects += message.rejects;
    if (message.crash) sum.crashes.push(message.crash);
  });
  child.send(order);
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      clearTimeout(watch);
      if (code === 0) return resolve(null);
      const next = last?.seed ?? order.seed;
      const file = last ? `${last.file.replace(/-now$/, '')}-${next}` : '';
      if (last) for (const end of ['', '.json']) renameSync(last.file + end, file + end);
      const message = hung !== '' ? `no end in time: ${hung}` : `the process died (${code ?? signal}): ${failure}`;
      sum.crashes.push({ seed: next, message, file });
      resolve(last ? next + 1 : null);
    });
  });
}

/** A target for so long, in processes one after the other. */
export async function fuzzFor(
  id: string,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<Sum> {
  const sum: Sum = { inputs: 0, rows: 0, rejects: 0, crashes: [] };
  const until = Date.now() + seconds * 1000;
  for (let next: number | null = seed; next !== null && Date.now() < until; )
    next = await fuzzInProcess({ id, seed: next, seconds: (until - Date.now()) / 1000 }, sum);
  return sum;
}
