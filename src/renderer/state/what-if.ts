import { create } from 'zustand';
import type { Layer } from '../../model/entity.ts';
import type { WhatIf } from '../../model/incident/what-if.ts';
import { useCase } from './case-state.ts';
import { known } from './known.ts';
import { messages } from './messages.ts';
import { notify } from './toasts.ts';

/** One assumption: a chip that can be removed. */
export type Supposition =
  | { readonly kind: 'layer'; readonly layer: Layer }
  /** Evidence ids or original ids; `label` names the events. */
  | { readonly kind: 'events'; readonly ids: readonly string[]; readonly label: string }
  /** `source` is a name or a number, as in the contract; `name` is for the screen. */
  | { readonly kind: 'clock'; readonly source: string; readonly name: string; readonly seconds: number }
  | { readonly kind: 'feed'; readonly to: string; readonly from: string | null; readonly insteadOf: string | null };

/** The open form of an assumption, with its initial values. */
export type Draft =
  | { readonly kind: 'layer' | 'events' | 'feed' }
  | { readonly kind: 'clock'; readonly source?: string };

type Suppositions = readonly Supposition[];

interface WhatIfState {
  readonly applied: Suppositions;
  readonly past: readonly Suppositions[];
  readonly future: readonly Suppositions[];
  readonly draft: Draft | null;
}

const nothing: WhatIfState = { applied: [], past: [], future: [], draft: null };
export const useWhatIf = create<WhatIfState>()(() => nothing);

export const keyOfSupposition = (one: Supposition): string => {
  switch (one.kind) {
    case 'layer':
      return `layer ${one.layer}`;
    case 'events':
      return `events ${one.ids.join(' ')}`;
    case 'clock':
      return `clock ${one.source}`;
    case 'feed':
      return `feed ${one.to} ${one.insteadOf ?? ''}`;
  }
};

function change(applied: Suppositions): void {
  const { applied: before, past } = useWhatIf.getState();
  useWhatIf.setState({ applied, past: [...past, before], future: [] });
}

/** Adds an assumption; one about the same clock or feed is replaced. Opens the result if it is not on screen. */
export function suppose(one: Supposition): void {
  if (!hasImpact()) return;
  const { applied } = useWhatIf.getState();
  const key = keyOfSupposition(one);
  change([...applied.filter((each) => keyOfSupposition(each) !== key), one]);
  useWhatIf.setState({ draft: null });
  showWhatIf();
}

/** Opens the form of an assumption. */
export function draftSupposition(draft: Draft | null): void {
  if (draft && !hasImpact()) return;
  useWhatIf.setState({ draft });
  if (draft) showWhatIf();
}

/** Without an impact there is no verdict to change; shows a message instead. */
function hasImpact(): boolean {
  if (known('incidents.list')?.length !== 0) return true;
  notify(messages.noImpact);
  return false;
}

/** Shows the result next to the current view. */
export function showWhatIf(): void {
  if (useCase.getState().view !== 'causes') useCase.setState({ tab: 'causes' });
}

export const takeBack = (one: Supposition): void => change(useWhatIf.getState().applied.filter((each) => each !== one));

export function supposeNothing(): void {
  if (useWhatIf.getState().applied.length > 0) change([]);
  useWhatIf.setState({ draft: null });
}

/** Returns whether there was a change to undo. */
export function undoSupposing(): boolean {
  const { applied, past, future } = useWhatIf.getState();
  const before = past.at(-1);
  if (!before) return false;
  useWhatIf.setState({ applied: before, past: past.slice(0, -1), future: [applied, ...future] });
  return true;
}

export function redoSupposing(): boolean {
  const { applied, past, future } = useWhatIf.getState();
  const [next, ...later] = future;
  if (!next) return false;
  useWhatIf.setState({ applied: next, past: [...past, applied], future: later });
  return true;
}

/** Closes the open form, or else removes the last assumption. Returns whether there was one. */
export function stepBackSupposing(): boolean {
  const { draft, applied } = useWhatIf.getState();
  if (draft) useWhatIf.setState({ draft: null });
  else if (applied.length > 0) change(applied.slice(0, -1));
  else return false;
  return true;
}

/** Assumptions belong to their case. */
export const forgetSuppositions = (): void => useWhatIf.setState(nothing);

/** Assumptions in the form of the contract. */
export function toWhatIf(applied: Suppositions): WhatIf {
  return {
    without_layers: applied.flatMap((one) => (one.kind === 'layer' ? [one.layer] : [])),
    without_events: [...new Set(applied.flatMap((one) => (one.kind === 'events' ? one.ids : [])))],
    clock_shifts: applied.flatMap((one) =>
      one.kind === 'clock' ? [{ source: one.source, seconds: one.seconds }] : [],
    ),
    moved_feeds: applied.flatMap((one) =>
      one.kind === 'feed' ? [{ to: one.to, from: one.from, instead_of: one.insteadOf }] : [],
    ),
  };
}
