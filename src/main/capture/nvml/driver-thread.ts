import { Worker } from 'node:worker_threads';
import { pollingOf } from '../burst.ts';
import { libraryOf, type NvmlPlan } from './plan.ts';
import type { ThreadMessage, ThreadOrder } from './readings.ts';

/** How long the capture waits for a thread that is blocked in the driver. */
const GRACE_MS = 1000;

/** Beside this file in source; beside the program in a build, whose chunks are one folder deeper. */
function threadFile(): URL {
  const here = new URL(import.meta.url);
  if (here.pathname.endsWith('.ts')) return new URL('./thread.ts', here);
  return new URL(here.pathname.includes('/chunks/') ? '../nvml-thread.js' : './nvml-thread.js', here);
}

/**
 * Runs the driver thread until the signal aborts; resolves at once if it ended because there is no library. The thread
 * is never killed: a thread that ends inside a driver call takes the process with it.
 */
export async function followDriver(
  plan: Pick<NvmlPlan, 'library' | 'every_s' | 'burst' | 'pcie_throughput'>,
  onMessage: (message: ThreadMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  const stop = new SharedArrayBuffer(4);
  const order: ThreadOrder = {
    library: libraryOf(plan),
    every_ms: pollingOf(plan) * 1000,
    // It takes 40 ms per GPU, too long between the polls of a burst.
    pcie_throughput: plan.pcie_throughput && plan.burst === null,
    stop,
  };
  const worker = new Worker(threadFile(), { workerData: order });
  worker.on('message', onMessage);
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('exit', () => {
      hasEnded = true;
      resolve();
    });
    worker.once('error', reject);
  });
  const patience = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const notifyThread = () => {
    worker.off('message', onMessage);
    Atomics.store(new Int32Array(stop), 0, 1);
    Atomics.notify(new Int32Array(stop), 0);
    timer = setTimeout(patience.resolve, GRACE_MS);
  };
  if (signal.aborted) notifyThread();
  else signal.addEventListener('abort', notifyThread, { once: true });
  await Promise.race([ended, patience.promise]);
  signal.removeEventListener('abort', notifyThread);
  clearTimeout(timer);
  if (hasEnded) return;
  // A thread that is blocked in the driver must not keep the process alive.
  worker.unref();
  // Loaded on demand: without GPUs no native library is needed.
  const { exitAtOnce } = await import('./driver-library.ts');
  process.once('exit', (code) => {
    if (!hasEnded) exitAtOnce(code);
  });
}
