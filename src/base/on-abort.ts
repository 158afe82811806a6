/**
 * Runs `act` once when the signal aborts, and at once if it is already aborted, for which there is no event.
 *
 * @returns what must be called when it is of no interest any more
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener('abort', act, { once: true });
  return () => signal?.removeEventListener('abort', act);
}
