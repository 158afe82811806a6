import { useCallback, useEffect, useRef, useState } from 'react';
import { latestWins } from '../../base/latest-wins.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';

export interface Answer<A> {
  /** The newest answer there is; it stays while the next one loads. */
  readonly value: A | undefined;
  readonly problem: Problem | undefined;
  /** Loading for longer than a blink. */
  readonly slow: boolean;
  readonly retry: () => void;
}

const SLOW_MS = 300;

/** Asks again whenever `key` changes; never queues, never drops the answer on screen before the next is there. */
export function useAnswer<A>(key: string, ask: (signal: AbortSignal) => Promise<A>): Answer<A> {
  const [state, setState] = useState<Omit<Answer<A>, 'retry'>>({ value: undefined, problem: undefined, slow: false });
  const latest = useRef(ask);
  latest.current = ask;
  const runner = useRef<ReturnType<typeof latestWins<string>>>(undefined);
  runner.current ??= latestWins<string>(async (_key, signal) => {
    const slow = setTimeout(() => setState((before) => ({ ...before, slow: true })), SLOW_MS);
    try {
      const value = await latest.current(signal);
      setState({ value, problem: undefined, slow: false });
    } catch (error) {
      if (!isAbort(error)) setState((before) => ({ ...before, problem: problemOf(error), slow: false }));
    } finally {
      clearTimeout(slow);
    }
  });
  useEffect(() => runner.current?.request(key), [key]);
  useEffect(() => () => runner.current?.cancel(), []);
  const retry = useCallback(() => runner.current?.request(key), [key]);
  return { ...state, retry };
}
