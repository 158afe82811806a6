/**
 * Does a job whenever it is asked for: one at a time, no sooner than a rest after the last, and never without the last
 * asking, however soon after the job began that came.
 *
 * @param restOf milliseconds, of those that the job took
 */
export function paced(job: () => Promise<void>, restOf: (tookMs: number) => number): () => void {
  let isBusy = false;
  let isRequested = false;
  const rested = (): void => {
    isBusy = false;
    if (isRequested) void run();
  };
  const run = async (): Promise<void> => {
    isBusy = true;
    isRequested = false;
    const began = performance.now();
    try {
      await job();
    } finally {
      setTimeout(rested, restOf(performance.now() - began));
    }
  };
  return () => {
    isRequested = true;
    if (!isBusy) void run();
  };
}
