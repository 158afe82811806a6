import { create } from 'zustand';

interface SelectedMetric {
  /** null: the first there is. */
  readonly metric: string | null;
  readonly order: 'place' | 'difference';
}

/** What the heat map shows, and in which order. */
export const useGpuMetric = create<SelectedMetric>()(() => ({ metric: null, order: 'place' }));
