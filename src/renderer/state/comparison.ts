import { create } from 'zustand';
import { showView } from './case-state.ts';

/** Hypotheses selected for a comparison, by rank in one incident. */
interface Comparison {
  readonly incident: string;
  readonly ranks: readonly number[];
}

const nothing: Comparison = { incident: '', ranks: [] };
export const useComparison = create<Comparison>()(() => nothing);

/** The second selected hypothesis opens the comparison; a third replaces the second. */
export function toggleCompared(incident: string, rank: number): void {
  const { incident: before, ranks } = useComparison.getState();
  const selectedRanks = before === incident ? ranks : [];
  const next = selectedRanks.includes(rank)
    ? selectedRanks.filter((each) => each !== rank)
    : [...selectedRanks.slice(0, 1), rank];
  useComparison.setState({ incident, ranks: next });
  if (next.length === 2) showView('causes');
}

/** Returns whether a comparison was open. */
export function leaveComparison(): boolean {
  const { ranks } = useComparison.getState();
  useComparison.setState(nothing);
  return ranks.length > 0;
}
