import { create } from 'zustand';

interface SelectedMetric {
  /** null: the first metric. */
  readonly metric: string | null;
  readonly order: 'place' | 'difference';
}

/** Metric and order of the heat map. */
export const useGpuMetric = create<SelectedMetric>()(() => ({ metric: null, order: 'place' }));
