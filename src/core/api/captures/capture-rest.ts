import type { Feeds } from '../../../model/storage/feed.ts';

/** The time between two flushes. */
export class Rest {
  private readonly stop: AbortSignal;
  private current = new AbortController();

  constructor(stop: AbortSignal) {
    this.stop = stop;
    stop.addEventListener('abort', () => this.end(), { once: true });
  }

  async take(feeds: Feeds, milliseconds: number): Promise<void> {
    if (!this.stop.aborted) await feeds.wait(milliseconds, this.current.signal);
    this.current = new AbortController();
  }

  /** The one that is being taken, else the next one. */
  end(): void {
    this.current.abort(new Error('it is time'));
  }
}
