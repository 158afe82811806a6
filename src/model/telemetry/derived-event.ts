import type { Severity } from '../entity.ts';
import type { EventDetails } from './event-details.ts';

/** An event that Faultline derived from samples. */
export interface DerivedEvent {
  /** Stable while the samples stay: the same facts give the same event again. */
  readonly id: string;
  readonly source_id: number;
  /** As recorded, like the sample's own. */
  readonly time_ns: bigint;
  readonly entity: number;
  readonly type: string;
  readonly severity: Severity;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly details: EventDetails;
}
