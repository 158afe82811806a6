import { notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query';

/** An answer that views show while they need it; the other kind is in `known.ts`. */
export const ANSWER = 'answer';
/** Data that many parts of the window read. */
export const KNOWN = 'known';

/** Keys hold inputs of calls, and these hold times as bigints. */
export const hashOf = (key: QueryKey): string =>
  JSON.stringify(key, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

/** The only place of the window with data of the host. What the window itself shows is in the zustand stores. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      queryKeyHashFn: hashOf,
      // The host reports what changed; neither time nor focus makes an answer wrong.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: false,
      retryOnMount: false,
      // The host is reachable without a network.
      networkMode: 'always',
      // An unused answer is dropped at once: some have tens of megabytes, and a deep comparison of two takes longer than drawing.
      gcTime: 0,
      structuralSharing: false,
    },
  },
});
queries.setQueryDefaults([KNOWN], { gcTime: Number.POSITIVE_INFINITY });

// In the frame of the answer, not one timer later.
notifyManager.setScheduler(queueMicrotask);

/** Requests answers again that a change made wrong, by the first part of their keys; the old ones stay until then. */
export function refreshAnswers(...names: readonly string[]): void {
  const predicate = ({ queryKey }: { readonly queryKey: QueryKey }): boolean => {
    const [kind, , , , key] = queryKey;
    return kind === ANSWER && Array.isArray(key) && names.includes(key[0]);
  };
  // A request from before the change would answer too early.
  void queries.cancelQueries({ predicate }, { silent: true, revert: false });
  void queries.invalidateQueries({ predicate });
}
