import { useCallback, useEffect, useRef, useState } from 'react';
import { latestWins } from '../../base/latest-wins.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { beginLiveQuery, type Changing, refreshCountOf, useLiveRefresh } from './live-refresh.ts';

export interface Answer<A> {
  /** The newest response; it stays while the next one loads. */
  readonly value: A | undefined;
  readonly problem: Problem | undefined;
  /** Loading for noticeably long. */
  readonly slow: boolean;
  readonly retry: () => void;
}

const SLOW_MS = 300;

/**
 * Queries again whenever `key` changes; never queues, and keeps the old response until the next one arrives.
 *
 * @param changing live data that the response depends on: queried again while the window follows
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
    // A refresh shows no progress.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: live data is queried again
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
