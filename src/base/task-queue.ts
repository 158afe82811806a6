/** Work of which one is done at a time, in the order in which it came. */
export class TaskQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** @throws the signal's reason, at once, when it is aborted while another has its turn; `work` is not begun then */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const earlier = this.last;
    const mine = Promise.withResolvers<void>();
    this.last = earlier.then(() => mine.promise);
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await Promise.race([earlier, stopped.promise]);
      return await work();
    } finally {
      signal.removeEventListener('abort', stop);
      mine.resolve();
    }
  }
}
