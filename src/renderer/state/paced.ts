/**
 * Runs a job on request: one at a time, with a pause after each, and once more after the last request, even if that comes
 * while the job runs.
 *
 * @param restOf pause in milliseconds, from the duration of the job
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
