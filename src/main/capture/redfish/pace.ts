import { setTimeout } from 'node:timers/promises';
import { steadyNow } from '../steady-clock.ts';

/** Rate limit: controllers are slow, so few requests run at once, at the plan's maximum rate. */
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
      // Hand the slot over directly, so that no newer request takes it.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
