import { create } from 'zustand';

/** What the colours of a job's ranks show: a step against the median of the ranks, a step, or collective operations. */
export type JobColour = 'relative' | 'step' | 'wait';

interface JobChoice {
  /** null: the first job. */
  readonly job: string | null;
  /** null: the first that was recorded. */
  readonly colour: JobColour | null;
  readonly order: 'rank' | 'slowest';
  /** Name of the row: several rows may be of one entity. */
  readonly row: string | null;
}

/** The job that is looked at, and how. */
export const useJobChoice = create<JobChoice>()(() => ({ job: null, colour: null, order: 'rank', row: null }));
