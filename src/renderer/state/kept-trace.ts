import { create } from 'zustand';

/** A trace that was laid aside, to be compared with another. */
export const useKeptTrace = create<{ readonly traceId: string | null }>()(() => ({ traceId: null }));
export const keepTrace = (traceId: string | null): void => useKeptTrace.setState({ traceId });
