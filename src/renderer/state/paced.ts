/**
 * Does a job whenever it is asked for: one at a time, no sooner than a rest after the last, and never without the last
 * asking, however soon after the job began that came.
 *
 * @param restOf milliseconds, of those that the job took
 */
export function paced(job: () => Promise<void>, restOf: (tookMs: number) => number): () => void {
  let isBusy = false;
  let isAsked = false;
  const rested = (): void => {
    isBusy = false;
    if (isAsked) void run();
  };
  const run = async (): Promise<void> => {
    isBusy = true;
    isAsked = false;
    const began = performance.now();
    try {
      await job();
    } finally {
      setTimeout(rested, restOf(performance.now() - began));
    }
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
