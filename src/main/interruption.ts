import { isatty } from 'node:tty';

/** Time for interrupted work to clean up. */
const GRACE_MS = 3000;
/** One Ctrl-C arrives twice if the parent process (npm, a launcher) forwards the signal that the terminal sends to both. */
const SAME_MS = 300;

export interface Interruption {
  readonly signal: AbortSignal;
  /** What runs from here on gets the time that an orderly end takes; a second signal still ends it at once. */
  waitForEnd(): void;
}

/**
 * Aborts when this process gets a signal to end, or when its terminal closes: running work then ends in order. After three
 * seconds, or on the same signal again, the process ends at once. A terminal that closes signals each process, and each shell
 * between forwards the signal: that does not count as a second one. A process that is not shown on a terminal (`nohup`, `< /dev/null`,
 * output in a file) is not ended by one that goes.
 */
export function interruption(): Interruption {
  const interrupted = new AbortController();
  const isShown = isShownOnTerminal();
  let hasGrace = true;
  const first_ms = new Map<NodeJS.Signals, number>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signal === 'SIGHUP' && !isShown) return;
      const first = first_ms.get(signal);
      if (first !== undefined)
        return performance.now() - first < SAME_MS || signal === 'SIGHUP' ? undefined : die(signal);
      first_ms.set(signal, performance.now());
      if (interrupted.signal.aborted) return;
      interrupted.abort(new Error('interrupted'));
      setTimeout(() => hasGrace && die(signal), GRACE_MS).unref();
    });
  return {
    signal: interrupted.signal,
    waitForEnd: () => {
      hasGrace = false;
    },
  };
}

/** At once, as if nobody had listened: an orderly end would wait for the database, or trip over it. */
function die(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Node resets the disposition of SIGHUP at its start, so that what `nohup` set cannot be asked for. Its other traces can: GNU's
 * puts something else in place of a terminal's input, every `nohup` a file in place of a terminal's output. Asked
 * at the start: a terminal that has gone is no terminal.
 */
const isShownOnTerminal = (): boolean => isatty(0) && (isatty(1) || isatty(2));
