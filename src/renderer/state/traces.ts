import { create } from 'zustand';
import type { FoundTrace, Input } from '../../model/contract/index.ts';
import { nanos } from '../../model/time.ts';
import { showView, useCase } from './case-state.ts';
import { select } from './focus.ts';

type TraceOrder = NonNullable<Input<'traces.search'>['order']>;

/** What the Traces view is asked and shows; it stays while other views are looked at. */
export interface TracesState {
  /** As it stands in the input. */
  readonly text: string;
  /** As it was last asked. */
  readonly query: string;
  readonly order: TraceOrder;
  /** All of the case instead of the window on screen. */
  readonly everywhere: boolean;
  readonly tab: 'list' | 'flame';
  /** The trace that is open below, and the evidence id of the span it was opened by. */
  readonly open: { readonly traceId: string; readonly ref: string } | null;
}

const ALL_TRACES = '{ }';

const initial: TracesState = {
  text: ALL_TRACES,
  query: ALL_TRACES,
  order: 'slowest',
  everywhere: false,
  tab: 'list',
  open: null,
};

export const useTraces = create<TracesState>()(() => initial);

/** What was asked of one case says nothing about another. */
useCase.subscribe((now, before) => {
  if (now.info?.name !== before.info?.name) useTraces.setState(initial);
});

export const setTraces = (change: Partial<TracesState>): void => useTraces.setState(change);

/** Selects its time for all views, and opens it below the list. */
export function openTrace({ trace_id, ref, start_ns }: Pick<FoundTrace, 'trace_id' | 'ref' | 'start_ns'>): void {
  select(ref, nanos(start_ns));
  setTraces({ open: { traceId: trace_id, ref } });
}

/** Asks for traces and shows their list. */
export function searchTraces(query: string): void {
  setTraces({ text: query, query, tab: 'list' });
  showView('traces');
}

/** The same of the whole case, whatever window is on screen. */
export function searchEverywhere(query: string): void {
  setTraces({ everywhere: true });
  searchTraces(query);
}
