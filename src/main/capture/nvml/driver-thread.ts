import { Worker } from 'node:worker_threads';
import { pollingOf } from '../burst.ts';
import { libraryOf, type NvmlPlan } from './plan.ts';
import type { ThreadMessage, ThreadOrder } from './readings.ts';

/** It may sleep in the driver; the capture does not wait for that. */
const GRACE_MS = 1000;

/** Beside this file as source; beside the program once built, whose own parts may lie one folder deeper. */
function threadFile(): URL {
  const here = new URL(import.meta.url);
  if (here.pathname.endsWith('.ts')) return new URL('./thread.ts', here);
  return new URL(here.pathname.includes('/chunks/') ? '../nvml-thread.js' : './nvml-thread.js', here);
}

/**
 * Runs the thread that talks to the driver until the signal says stop; settles at once when it ended by itself, because
 * there is no library. It is never killed: a thread that ends while the driver works for it takes the process along.
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
    // 40 ms a GPU: between polls of a burst there is no time for it.
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
  // One that still sleeps in the driver must not keep the process alive.
  worker.unref();
  // Whoever asks no GPU loads no native library.
  const { exitAtOnce } = await import('./driver-library.ts');
  process.once('exit', (code) => {
    if (!hasEnded) exitAtOnce(code);
  });
}
