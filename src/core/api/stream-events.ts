import { onAbort } from '../../base/on-abort.ts';
import type { CallContext } from '../../model/contract/index.ts';

/** Events of `work` as a stream; abandoning the stream cancels the work. */
export async function* streamEvents<T>(
  context: CallContext,
  work: (emit: (event: T) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T> {
  const cancel = new AbortController();
  onAbort(context.signal, () => cancel.abort(new Error('cancelled')));
  const events: T[] = [];
  let wake: () => void = () => undefined;
  let done = false;
  const running = work((event) => {
    events.push(event);
    wake();
  }, cancel.signal).finally(() => {
    done = true;
    wake();
  });
  running.catch(() => undefined);
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const event = events.shift();
      if (event !== undefined) yield event;
      else if (done) break;
      else await woken;
    }
    await running;
  } finally {
    cancel.abort(new Error('cancelled'));
  }
}
