import { create } from 'zustand';

interface Chosen {
  /** null: the first there is. */
  readonly metric: string | null;
  readonly order: 'place' | 'difference';
}

/** What the heat map shows, and in which order. */
export const useGpuMetric = create<Chosen>()(() => ({ metric: null, order: 'place' }));
