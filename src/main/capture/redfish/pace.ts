import { setTimeout } from 'node:timers/promises';
import { steadyNow } from '../steady-clock.ts';

/** Controllers are small computers: few requests at once, and no more in a second than the plan allows. */
export class Pace {
  private readonly mostAtOnce: number;
  private readonly rest_ms: number;
  private next = 0;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor({ most_at_once, most_requests_per_s }: { most_at_once: number; most_requests_per_s: number }) {
    this.mostAtOnce = most_at_once;
    this.rest_ms = 1000 / most_requests_per_s;
  }

  async runPaced<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.running >= this.mostAtOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      const now = steadyNow();
      const begin = Math.max(now, this.next);
      this.next = begin + this.rest_ms;
      if (begin > now) await setTimeout(begin - now, undefined, { signal });
      signal.throwIfAborted();
      return await work();
    } finally {
      // A turn is handed over, so that nobody comes in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
