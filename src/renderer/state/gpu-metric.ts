import { create } from 'zustand';

interface SelectedMetric {
  /** null: the first metric. */
  readonly metric: string | null;
  readonly order: 'place' | 'difference';
  /** Service, job or pod of which the GPUs are shown, as `kind:id`; '' is all. */
  readonly work: string;
  readonly tab: 'different' | 'all';
}

/** Metric and order of the heat map, and which GPUs are shown. */
export const useGpuMetric = create<SelectedMetric>()(() => ({
  metric: null,
  order: 'place',
  work: '',
  tab: 'different',
}));
