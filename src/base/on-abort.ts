/**
 * Runs `act` once when the signal aborts, and at once when it has been aborted already, which its event does not tell.
 *
 * @returns what must be called when it is of no interest any more
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener('abort', act, { once: true });
  return () => signal?.removeEventListener('abort', act);
}
