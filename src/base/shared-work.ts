/**
 * Work with shared result: done once, and aborted when all requesters have cancelled. What failed or was
 * given up is begun anew by the next who asks.
 */
export class SharedWork<T> {
  private readonly work: (signal: AbortSignal) => Promise<T>;
  private running: { readonly made: Promise<T>; readonly stop: AbortController; wanted: number } | undefined;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.work = work;
  }

  /** @throws the signal's reason as soon as it is aborted, or what the work throws */
  async get(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const running = this.running ?? this.begin();
    running.wanted++;
    const left = Promise.withResolvers<never>();
    const leave = () => {
      left.reject(signal?.reason);
      if (--running.wanted > 0) return;
      if (this.running === running) this.running = undefined;
      running.stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([running.made, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private begin() {
    const stop = new AbortController();
    const running = { made: this.work(stop.signal), stop, wanted: 0 };
    running.made.catch(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
