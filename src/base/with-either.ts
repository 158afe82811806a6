/**
 * Runs `work` with a signal that aborts when one of `signals` does, with its reason. In place of `AbortSignal.any`: in
 * Node 24 what it makes is not aborted any more once the collector has run without listeners (nodejs/node issue 65995).
 */
export async function withEither<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const listeners = signals.map((signal) => ({ signal, abort: () => either.abort(signal.reason) }));
  try {
    for (const { signal, abort } of listeners) {
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
    }
    return await work(either.signal);
  } finally {
    for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort);
  }
}
