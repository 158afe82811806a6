import type { CaptureEvent } from '../../../model/contract/index.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { CaptureUpdate, Push } from '../../../model/storage/feed.ts';
import { type Exposed, exposition } from '../../report/exposition.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { listIncidents, readThrottling, renderTelemetry } from '../incidents/investigation.ts';
import { readNotices } from '../incidents/notices.ts';

interface CaptureContext {
  readonly opened: OpenCase;
  readonly version: string;
  now(): bigint;
  feeds(): Exposed['feeds'];
  emit(event: CaptureEvent): void;
}

interface PushTarget {
  readonly push: Push;
  due_ns: bigint;
  last: string;
  /** It has a destination. */
  isOpen: boolean;
  /** Delay before a retry. */
  retry_ns: bigint;
}

const FIRST_RETRY_NS = 5_000_000_000n;
const LONGEST_RETRY_NS = 300_000_000_000n;

/**
 * Pushes results of a capture to other systems, each at its own interval. Ranking takes time: it runs beside the writing, one at
 * a time, and for at most a tenth of the time.
 */
export class PushOut {
  private readonly pushes: readonly PushTarget[];
  private readonly around: CaptureContext;
  private running: Promise<void> | undefined;
  private rest_ns = 0n;
  private seen_ns = 0n;

  constructor(pushes: readonly Push[], around: CaptureContext) {
    this.pushes = pushes.map((push) => ({ push, due_ns: 0n, last: '', isOpen: false, retry_ns: FIRST_RETRY_NS }));
    this.around = around;
  }

  /** A push that cannot start is down, with its reason, and is retried; no evidence is lost. */
  async open(): Promise<void> {
    for (const one of this.pushes) await this.tryOpen(one);
  }

  private async tryOpen(one: PushTarget): Promise<void> {
    try {
      const where = await one.push.open();
      one.isOpen = true;
      one.retry_ns = FIRST_RETRY_NS;
      this.reportState(one, 'up', where);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      one.due_ns = this.around.now() + one.retry_ns;
      one.retry_ns = 2n * one.retry_ns < LONGEST_RETRY_NS ? 2n * one.retry_ns : LONGEST_RETRY_NS;
      this.reportState(one, 'down', error.problem.message);
    }
  }

  /** Rows were written, or a while has passed. */
  due(signal: AbortSignal): void {
    const now = this.around.now();
    if (now < this.seen_ns) this.clockWasSet();
    this.seen_ns = now;
    const due = this.pushes.filter(({ due_ns }) => due_ns <= now);
    if (this.running || due.length === 0 || now < this.rest_ns) return;
    this.running = this.pushAll(due, signal).then(() => {
      this.running = undefined;
    });
    // A bug must not end the capture: pushing stops, and the end of the capture reports why.
    this.running.catch(() => undefined);
  }

  /** If the clock was set back, waiting times would be too long. */
  private clockWasSet(): void {
    this.rest_ns = 0n;
    for (const one of this.pushes) one.due_ns = 0n;
  }

  /** The last push. */
  async close(signal: AbortSignal): Promise<void> {
    await this.running;
    const open = this.pushes.filter(({ isOpen }) => isOpen);
    if (open.length > 0) await this.pushAll(open, signal);
    for (const { push } of open) await push.close();
  }

  private async pushAll(wanted: readonly PushTarget[], signal: AbortSignal): Promise<void> {
    for (const one of wanted) if (!one.isOpen) await this.tryOpen(one);
    const due = wanted.filter(({ isOpen }) => isOpen);
    if (due.length === 0) return;
    const began = this.around.now();
    const news = await this.news();
    const took = this.around.now() - began;
    this.rest_ns = began + 10n * took;
    for (const one of due) {
      one.due_ns = began + BigInt(Math.round(one.push.every_s * 1e9));
      try {
        const left = await one.push.push(news, signal);
        this.reportState(one, 'up', left, left);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ProblemError)) throw error;
        this.reportState(one, 'down', error.problem.message);
      }
    }
  }

  /** Reports changes. @param trouble the new part of the reason; if it is up, the items that were refused */
  private reportState(
    one: PushTarget,
    state: 'up' | 'down',
    reason: string,
    trouble = state === 'down' ? reason : '',
  ): void {
    const line = `${state} ${trouble}`;
    if (one.last === line) return;
    one.last = line;
    const at_ns = this.around.now();
    this.around.emit({ kind: 'push', push: one.push.name, state, reason: reason || 'pushing again', at_ns });
  }

  private async news(): Promise<CaptureUpdate> {
    const { opened, version, feeds } = this.around;
    const incidents = await listIncidents(opened);
    const { notices } = await readNotices(opened, null, this.around.now());
    const throttling = await readThrottling(opened);
    return {
      telemetry: await renderTelemetry(opened, version),
      exposition: exposition({ feeds: feeds(), incidents, notices, throttling }),
    };
  }
}
