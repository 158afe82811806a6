import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { Input, Output } from '../../model/contract/index.ts';
import type { CallName } from '../client/client.ts';
import { type Answer, useProblem, useSlow } from './answer.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { beginLiveQuery, type Changing, refreshCountOf, useLiveRefresh } from './live-refresh.ts';
import { ANSWER, hashOf, queries } from './query-cache.ts';

const nothing: readonly Changing[] = [];

/**
 * The answer to a query, asked again whenever `key` changes. A newer key aborts the older request.
 *
 * @param key everything that the answer depends on besides the case, first the name of the query; null asks nothing
 * @param changing live data that the answer depends on: asked again while the window follows
 */
export function useAnswer<A>(
  key: unknown,
  query: (signal: AbortSignal) => Promise<A>,
  changing: readonly Changing[] = nothing,
): Answer<A> {
  const caseId = useCase((state) => state.caseId);
  const revision = useCase((state) => state.revision);
  // A part of the key: a refresh moves the window too, and both together are one request.
  const turn = useLiveRefresh((refreshes) => refreshCountOf(refreshes, changing));
  const isAsked = key !== null;
  const queryKey = [ANSWER, caseId, revision, turn, key];
  const queryHash = hashOf(queryKey);
  const { data, error, isFetching, refetch } = useQuery(
    { queryKey, queryHash, queryFn: ({ signal }) => countedQuery(query, signal), enabled: isAsked },
    queries,
  );
  const asked = useQuietness(queryHash);
  // An answer of another case would mislead, an older one of this case does not.
  const former = useRef<{ readonly caseId: number; readonly value: A }>(undefined);
  if (!isAsked || former.current?.caseId !== caseId) former.current = undefined;
  if (isAsked && data !== undefined) former.current = { caseId, value: data };
  const retry = useCallback(() => {
    asked.current.isQuiet = false;
    void refetch();
  }, [asked, refetch]);
  return {
    value: former.current?.value,
    isOld: data === undefined && former.current !== undefined,
    problem: useProblem(isAsked ? error : null),
    isLoading: isFetching,
    slow: useSlow(isFetching && !asked.current.isQuiet),
    retry,
  };
}

/** The answer to a call of the contract; null asks nothing. */
export const useCall = <N extends CallName>(
  name: N,
  input: Input<N> | null,
  changing: readonly Changing[] = nothing,
): Answer<Output<N>> =>
  useAnswer(
    input === null ? null : [name, input],
    (signal) => client().call(name, input as Input<N>, signal),
    changing,
  );

/** The next live refresh waits for the query. */
async function countedQuery<A>(query: (signal: AbortSignal) => Promise<A>, signal: AbortSignal): Promise<A> {
  const answered = beginLiveQuery();
  try {
    return await query(signal);
  } finally {
    answered();
  }
}

/** Whether a live refresh changed the key: it shows no progress. */
function useQuietness(hash: string) {
  const asked = useRef({ hash: '', refreshCount: 0, isQuiet: false });
  const { hash: before, refreshCount: last } = asked.current;
  if (before !== hash) {
    const { refreshCount } = useLiveRefresh.getState();
    asked.current = { hash, refreshCount, isQuiet: before !== '' && last < refreshCount };
  }
  return asked;
}
