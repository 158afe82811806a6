import { useCallback, useEffect, useRef, useState } from 'react';
import { latestWins } from '../../base/latest-wins.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { beginLiveQuery, type Changing, refreshCountOf, useLiveRefresh } from './live-refresh.ts';

export interface Answer<A> {
  /** The newest answer there is; it stays while the next one loads. */
  readonly value: A | undefined;
  readonly problem: Problem | undefined;
  /** Loading for longer than a blink. */
  readonly slow: boolean;
  readonly retry: () => void;
}

const SLOW_MS = 300;

/**
 * Asks again whenever `key` changes; never queues, never drops the answer on screen before the next is there.
 *
 * @param changing what the answer depends on that may come live: it is asked for again, in turns, while the window follows
 */
export function useAnswer<A>(
  key: string,
  query: (signal: AbortSignal) => Promise<A>,
  changing: readonly Changing[] = [],
): Answer<A> {
  const [state, setState] = useState<Omit<Answer<A>, 'retry'>>({ value: undefined, problem: undefined, slow: false });
  const latest = useRef(query);
  latest.current = query;
  const runner = useRef<ReturnType<typeof latestWins<string>>>(undefined);
  runner.current ??= latestWins<string>(async (_key, signal) => {
    // What nobody asked for by hand is asked for quietly.
    const patience = lastRequest.current.isQuiet ? undefined : SLOW_MS;
    const slow = patience && setTimeout(() => setState((before) => ({ ...before, slow: true })), patience);
    const answered = beginLiveQuery();
    try {
      const value = await latest.current(signal);
      setState({ value, problem: undefined, slow: false });
    } catch (error) {
      if (!isAbort(error)) setState((before) => ({ ...before, problem: problemOf(error), slow: false }));
    } finally {
      clearTimeout(slow);
      answered();
    }
  });
  const fresh = useLiveRefresh((refreshes) => refreshCountOf(refreshes, changing));
  const lastRequest = useRef({ key: '', turn: 0, isQuiet: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came live is asked for again
  useEffect(() => {
    const { refreshCount } = useLiveRefresh.getState();
    const before = lastRequest.current;
    lastRequest.current = {
      key,
      turn: refreshCount,
      isQuiet: before.key !== '' && (before.key === key || before.turn < refreshCount),
    };
    runner.current?.request(key);
  }, [key, fresh]);
  useEffect(() => () => runner.current?.cancel(), []);
  const retry = useCallback(() => {
    lastRequest.current.isQuiet = false;
    runner.current?.request(key);
  }, [key]);
  return { ...state, retry };
}
