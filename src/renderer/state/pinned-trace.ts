import { create } from 'zustand';

/** A trace that was laid aside, to be compared with another. */
export const usePinnedTrace = create<{ readonly traceId: string | null }>()(() => ({ traceId: null }));
export const pinTrace = (traceId: string | null): void => usePinnedTrace.setState({ traceId });
