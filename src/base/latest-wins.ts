/**
 * Runs at most one `work` at a time and, while it runs, remembers only the newest request.
 * A view that is scrubbed faster than its query answers never queues stale questions.
 */
export function latestWins<In>(work: (input: In, signal: AbortSignal) => Promise<void>): {
  request(input: In): void;
  cancel(): void;
} {
  let running: AbortController | undefined;
  let waiting: { readonly input: In } | undefined;

  async function drain(input: In): Promise<void> {
    running = new AbortController();
    try {
      await work(input, running.signal);
    } finally {
      running = undefined;
      const next = waiting;
      waiting = undefined;
      if (next) void drain(next.input);
    }
  }

  return {
    request(input) {
      if (running) waiting = { input };
      else void drain(input);
    },
    cancel() {
      waiting = undefined;
      running?.abort();
    },
  };
}
