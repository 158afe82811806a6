import { create } from 'zustand';
import type { Layer } from '../../model/entity.ts';
import type { WhatIf } from '../../model/incident/what-if.ts';
import { useCase } from './case-state.ts';
import { notify } from './toasts.ts';

/** One thing that is supposed to be otherwise than recorded: a chip that can be taken away. */
export type Supposition =
  | { readonly kind: 'layer'; readonly layer: Layer }
  /** Evidence ids or original ids; `words` tells which events they are. */
  | { readonly kind: 'events'; readonly ids: readonly string[]; readonly label: string }
  /** `source` is a name or a number, as the contract takes it; `name` is for people. */
  | { readonly kind: 'clock'; readonly source: string; readonly name: string; readonly seconds: number }
  | { readonly kind: 'feed'; readonly to: string; readonly from: string | null; readonly insteadOf: string | null };

/** What is about to be supposed: the form that stands open, with what is known already. */
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

/** Adds it; what says something else about the same clock or feed gives way. Shows the answer where none is on screen. */
export function suppose(one: Supposition): void {
  if (!hasImpact()) return;
  const { applied } = useWhatIf.getState();
  const key = keyOfSupposition(one);
  change([...applied.filter((each) => keyOfSupposition(each) !== key), one]);
  useWhatIf.setState({ draft: null });
  showWhatIf();
}

/** Opens a form to suppose something with. */
export function draftSupposition(draft: Draft | null): void {
  if (draft && !hasImpact()) return;
  useWhatIf.setState({ draft });
  if (draft) showWhatIf();
}

/** Without an impact there is no verdict that could change; that is told instead. */
function hasImpact(): boolean {
  if (useCase.getState().incidents?.length !== 0) return true;
  notify('no impact was found, so there is no verdict that a what-if could change');
  return false;
}

/** Brings the answer on screen, beside whatever is there. */
export function showWhatIf(): void {
  if (useCase.getState().view !== 'causes') useCase.setState({ tab: 'causes' });
}

export const takeBack = (one: Supposition): void => change(useWhatIf.getState().applied.filter((each) => each !== one));

export function supposeNothing(): void {
  if (useWhatIf.getState().applied.length > 0) change([]);
  useWhatIf.setState({ draft: null });
}

/** Answers whether there was a step to take. */
export function undoSupposing(): boolean {
  const { applied: standing, past, future } = useWhatIf.getState();
  const before = past.at(-1);
  if (!before) return false;
  useWhatIf.setState({ applied: before, past: past.slice(0, -1), future: [standing, ...future] });
  return true;
}

export function redoSupposing(): boolean {
  const { applied: standing, past, future } = useWhatIf.getState();
  const [next, ...later] = future;
  if (!next) return false;
  useWhatIf.setState({ applied: next, past: [...past, standing], future: later });
  return true;
}

/** The nearest thing to leave: the open form, else what was supposed last. Answers whether there was one. */
export function stepBackSupposing(): boolean {
  const { draft, applied: standing } = useWhatIf.getState();
  if (draft) useWhatIf.setState({ draft: null });
  else if (standing.length > 0) change(standing.slice(0, -1));
  else return false;
  return true;
}

/** Another case: what was supposed of the one before means nothing in it. */
export const forgetSuppositions = (): void => useWhatIf.setState(nothing);

/** As the contract asks. */
export function toWhatIf(standing: Suppositions): WhatIf {
  return {
    without_layers: standing.flatMap((one) => (one.kind === 'layer' ? [one.layer] : [])),
    without_events: [...new Set(standing.flatMap((one) => (one.kind === 'events' ? one.ids : [])))],
    clock_shifts: standing.flatMap((one) =>
      one.kind === 'clock' ? [{ source: one.source, seconds: one.seconds }] : [],
    ),
    moved_feeds: standing.flatMap((one) =>
      one.kind === 'feed' ? [{ to: one.to, from: one.from, instead_of: one.insteadOf }] : [],
    ),
  };
}
