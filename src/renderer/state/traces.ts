import { create } from 'zustand';
import type { FoundTrace, Input } from '../../model/contract/index.ts';
import { nanos } from '../../model/time.ts';
import { showView, useCase } from './case-state.ts';
import { select } from './focus.ts';

type TraceOrder = NonNullable<Input<'traces.search'>['order']>;

/** State of the Traces view, which persists while other views are open. */
export interface TracesState {
  /** Text in the input. */
  readonly text: string;
  /** The last submitted query. */
  readonly query: string;
  readonly order: TraceOrder;
  /** The entire case instead of the window on screen. */
  readonly everywhere: boolean;
  readonly tab: 'list' | 'services' | 'flame';
  /** The open trace, and the evidence id of the selected span. */
  readonly open: { readonly traceId: string; readonly ref: string } | null;
}

const ALL_TRACES = '{ }';

/** An empty text stands for every trace. */
export const queryOf = (text: string): string => (text.trim() === '' ? ALL_TRACES : text);

const initial: TracesState = {
  text: '',
  query: ALL_TRACES,
  order: 'slowest',
  everywhere: false,
  tab: 'list',
  open: null,
};

export const useTraces = create<TracesState>()(() => initial);

/** Queries belong to their case. */
useCase.subscribe((now, before) => {
  if (now.name !== before.name) useTraces.setState(initial);
});

export const setTraces = (change: Partial<TracesState>): void => useTraces.setState(change);

/** Moves the focus to its time and opens it below the list. */
export function openTrace({ trace_id, ref, start_ns }: Pick<FoundTrace, 'trace_id' | 'ref' | 'start_ns'>): void {
  select(ref, nanos(start_ns));
  setTraces({ open: { traceId: trace_id, ref } });
}

/** A search that compares the spans of `query` with all others; null: it is all of them, or more than one pair of braces. */
export function othersSearch(query: string): string | null {
  const group = query.trim();
  return /^\{[^{}]*\S[^{}]*\}$/.test(group) ? `{ } | compare(${group})` : null;
}

/** Searches for traces and shows the list. */
export function searchTraces(query: string): void {
  setTraces({ text: query, query, tab: 'list' });
  showView('traces');
}

/** The same over the entire case. */
export function searchEverywhere(query: string): void {
  setTraces({ everywhere: true });
  searchTraces(query);
}
