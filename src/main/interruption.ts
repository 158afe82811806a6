import { readFileSync } from 'node:fs';

/** What was interrupted gets this long to leave things in order. */
const GRACE_MS = 3000;

/**
 * Aborts when somebody ends this process, or its terminal goes away: what runs then ends in order. Who is not obeyed within
 * three seconds, or says so twice, ends it at once. Under `nohup` a terminal may go.
 */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signal === 'SIGHUP' && isUnderNohup()) return;
      if (interrupted.signal.aborted) return die(signal);
      interrupted.abort(new Error('interrupted'));
      setTimeout(() => die(signal), GRACE_MS).unref();
    });
  return interrupted.signal;
}

/** At once, as if nobody had listened: an orderly end would wait for the database, or trip over it. */
function die(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

const WRITE_ONLY = 1;

/**
 * Node forgets at its start that hang-ups are to be ignored, and dies of the next one. But `nohup` also puts something that
 * cannot be read in place of a terminal's input (GNU coreutils), which tells it on Linux.
 */
function isUnderNohup(): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & 3) === WRITE_ONLY;
  } catch {
    return false;
  }
}
