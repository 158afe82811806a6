import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNow } from '../steady-clock.ts';
import { CHANGES, Driver, DriverGone } from './driver.ts';
import { DriverLibrary } from './driver-library.ts';
import type { GpuIdentity, ThreadMessage, ThreadOrder } from './readings.ts';

/**
 * A separate thread calls the driver, because any function may block: a GPU reset blocks a caller for seconds. It
 * polls, then waits for events until the next poll is due. It never yields to an event loop; messages are sent all the
 * same.
 */
const port = parentPort;
assert(port !== null, 'thread.ts runs only as a worker thread');
const { library: path, every_ms, pcie_throughput, stop } = workerData as ThreadOrder;
const stopped = new Int32Array(stop);
const post = (message: ThreadMessage) => port.postMessage(message);
const isStopped = (): boolean => Atomics.load(stopped, 0) !== 0;
const rest = (milliseconds: number): void => void Atomics.wait(stopped, 0, 0, Math.max(0, milliseconds));

/** How often it checks whether the capture ended. */
const SLICE_MS = 200;
/** A lost GPU or driver is retried after so many polls, then after twice as many, up to a limit. */
const FIRST_RETRY_POLLS = 5;
const LONGEST_RETRY_MS = 300_000;
/** Per GPU between two polls: a driver may report hundreds of clock changes a second. */
const MOST_CHANGES = 10;
/** Of all GPUs between two polls: an Xid storm must not block the polls. */
const MOST_EVENTS = 500;

/** GPUs that have answered, over all starts of the driver; `lost` are those that no longer do. */
const known = new Map<string, GpuIdentity>();
const lost = new Set<string>();

class Session {
  private readonly driver: Driver;
  private isFirst = true;
  hasLost = false;

  constructor(library: DriverLibrary) {
    this.driver = new Driver(library);
  }

  close(): void {
    this.driver.close();
  }

  poll(): void {
    const { driver } = this;
    const began = performance.now();
    const gpus = driver.poll(pcie_throughput);
    const took_ms = performance.now() - began;
    for (const { gpu } of gpus) {
      known.set(gpu.uuid, gpu);
      lost.delete(gpu.uuid);
    }
    const answering = new Set(gpus.map(({ gpu }) => gpu.uuid));
    const reasons = driver.lost;
    for (const [uuid, gpu] of known) {
      if (answering.has(uuid) || lost.has(uuid)) continue;
      lost.add(uuid);
      post({ kind: 'lost', gpu, time_ms: steadyNow(), reason: reasons.get(uuid) ?? 'the driver no longer lists it' });
    }
    const count = Math.max(driver.count, gpus.length + lost.size);
    this.hasLost = count > gpus.length;
    post({ kind: 'poll', driver: driver.version, gpus, lost: [...lost], count, took_ms });
    if (this.isFirst) this.reportAbsent();
    this.isFirst = false;
  }

  /** Handles events until the next poll is due. */
  follow(until: number): void {
    const changes = new Map<string, number>();
    let events = 0;
    while (!isStopped()) {
      const left = until - steadyNow();
      if (left <= 0) return;
      const event = events < MOST_EVENTS ? this.driver.nextEvent(Math.min(SLICE_MS, left)) : 'failed';
      if (event === 'failed') rest(Math.min(SLICE_MS, left));
      if (event === undefined || event === 'failed') continue;
      events++;
      const { gpu, type, data, instance } = event;
      if (!gpu) continue;
      if ((type & CHANGES) === 0) post({ kind: 'event', gpu, time_ms: steadyNow(), type, data, instance });
      const before = changes.get(gpu.uuid) ?? 0;
      changes.set(gpu.uuid, before + 1);
      if ((type & CHANGES) !== 0 && before < MOST_CHANGES)
        post({ kind: 'change', driver: this.driver.version, gpus: this.driver.changed(gpu.uuid) });
    }
  }

  private reportAbsent(): void {
    const { absent, size, hasEvents } = this.driver;
    const names = [...absent].map(([property, of]) =>
      of === size ? property : `${property} (by ${size - of} of ${size})`,
    );
    if (names.length > 0)
      post({ kind: 'remark', text: `not offered by these GPUs or this driver: ${names.sort().join(', ')}` });
    if (!hasEvents)
      post({ kind: 'remark', text: 'the driver offers no events: Xids and short clock changes are not recorded' });
  }
}

function run(library: DriverLibrary): void {
  const schedule = new PollSchedule();
  let retry_ms = every_ms * FIRST_RETRY_POLLS;
  const nextRetry = () => {
    const now = retry_ms;
    retry_ms = Math.min(LONGEST_RETRY_MS, retry_ms * 2);
    return now;
  };
  while (!isStopped()) {
    let session: Session | undefined;
    try {
      session = new Session(library);
      let retryAt = Number.POSITIVE_INFINITY;
      while (!isStopped() && steadyNow() < retryAt) {
        const until = schedule.next(every_ms);
        session.poll();
        // Only a restart of the library finds a GPU that came back.
        if (!session.hasLost) retry_ms = every_ms * FIRST_RETRY_POLLS;
        else if (retryAt === Number.POSITIVE_INFINITY) retryAt = steadyNow() + nextRetry();
        session.follow(until);
      }
    } catch (error) {
      if (!(error instanceof DriverGone)) throw error;
      post({ kind: 'down', reason: error.message });
      rest(Math.max(every_ms, Math.min(nextRetry(), 60_000)));
    }
    session?.close();
  }
}

function open(): DriverLibrary | undefined {
  try {
    const library = new DriverLibrary(path);
    if (library.has('nvmlInit_v2', 'nvmlInit')) return library;
    post({ kind: 'unavailable', reason: `${path} is no NVML library` });
  } catch (error) {
    // koffi does not report which.
    post({ kind: 'unavailable', reason: `${path}: ${error instanceof Error ? error.message : String(error)}` });
  }
  return undefined;
}

const library = open();
if (library) run(library);
