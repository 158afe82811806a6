import type { EventDetails } from '../../../model/telemetry/event-details.ts';

/** An event that states a reading, and the samples of its metric and device around it. */
export interface StatedReadingFact {
  readonly event_id: number;
  readonly details: EventDetails;
  readonly least: number;
  readonly most: number;
  readonly samples: number;
  readonly from_ns: bigint;
  readonly to_ns: bigint;
  /** The sample nearest to it in time. */
  readonly series: number;
  readonly nearest_ns: bigint;
}

/** Which samples lie around an event. */
export interface AroundEvent {
  /** All within so many seconds of it. */
  readonly around_s: number;
  /** The last before and the first after it, which must not be further away. */
  readonly beside_s: number;
}
