import { setTimeout as rest } from 'node:timers/promises';

/** Spaces the requests to one archive, and stops all of them while it wants to be left alone. */
export class RequestPace {
  private nextAt_ms = 0;
  private readonly spacing_ms: number;

  constructor(requestsPerSecond: number) {
    this.spacing_ms = 1000 / requestsPerSecond;
  }

  /** Settles when the next request is due. @throws the signal's reason */
  async turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (this.nextAt_ms <= now) {
        this.nextAt_ms = now + this.spacing_ms;
        return;
      }
      await rest(this.nextAt_ms - now, undefined, { signal });
    }
  }

  /** No request of this archive starts within this time. */
  pause(milliseconds: number): void {
    this.nextAt_ms = Math.max(this.nextAt_ms, performance.now() + milliseconds);
  }
}
