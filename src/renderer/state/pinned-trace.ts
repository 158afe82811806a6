import { create } from 'zustand';

/** The trace that others are compared with. */
export const usePinnedTrace = create<{ readonly traceId: string | null }>()(() => ({ traceId: null }));
export const pinTrace = (traceId: string | null): void => usePinnedTrace.setState({ traceId });
