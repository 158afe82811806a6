import type { Layer } from '../../../model/entity.ts';
import type { OnsetTimes } from '../../../model/incident/unseen-onset.ts';

/** What limits a conclusion, or the recording as a whole. `warningText` makes it words. */
export type Warning =
  | { readonly kind: 'onset_not_measured'; readonly service: string; readonly onset: OnsetTimes }
  | { readonly kind: 'time_was_specified'; readonly service: string }
  | { readonly kind: 'only_service_was_specified'; readonly service: string }
  | { readonly kind: 'no_events'; readonly service: string }
  | { readonly kind: 'no_topology'; readonly service: string; readonly byCompany: boolean }
  | { readonly kind: 'no_physical_cause'; readonly service: string; readonly lag_s: number }
  | { readonly kind: 'layers_not_recorded'; readonly layers: readonly Layer[] }
  /** The chain begins with another event than the first hypothesis. `probability`: 0 to 1. */
  | {
      readonly kind: 'chain_is_a_lead';
      /** null: it cannot be distinguished from others. */
      readonly favoured: { readonly type: string; readonly on: string | null; readonly probability: number } | null;
    }
  /** The most probable hypothesis is a device, but all answers without one are more probable together. Both 0 to 1. */
  | { readonly kind: 'no_device_first'; readonly device: number; readonly others: number }
  | { readonly kind: 'not_in_topology'; readonly devices: readonly string[] }
  | { readonly kind: 'short_baseline'; readonly service: string; readonly measurements: number }
  | { readonly kind: 'overlaps'; readonly services: readonly string[] }
  | { readonly kind: 'no_measured_service' }
  /** A rank ran on a GPU that was lost at a time (UTC), and no impact shows what became of its job. */
  | { readonly kind: 'rank_lost_gpu'; readonly rank: string; readonly gpu: string; readonly at: string }
  | { readonly kind: 'ended'; readonly service: string; readonly at: string }
  /** `measurements`: how many a service has where it has too few. */
  | { readonly kind: 'few_measurements'; readonly service: string; readonly measurements: number }
  /** It is slow at that hour of most days. `times`: how often in the recording; `last`: when that began, UTC. */
  | { readonly kind: 'usual_hour'; readonly service: string; readonly times: number; readonly last: string }
  | { readonly kind: 'clock'; readonly source: string; readonly remark: string }
  | { readonly kind: 'clocks_not_compared' }
  | { readonly kind: 'mechanisms_invalid'; readonly problem: string };
