import { type EventDetails, parseDetails } from '../../../model/telemetry/event-details.ts';

/** An event as analysis reads it. */
export interface EventFact {
  readonly event_id: number;
  readonly original_id: string;
  /** On the case's clock. */
  readonly time_ns: bigint;
  readonly clock_uncertainty_ns: bigint;
  readonly source_id: number;
  /** Canonical entity; -1 when the record names none. */
  readonly entity: number;
  /** The name that the record itself used. */
  readonly device_id: string;
  readonly type: string;
  readonly origin: string;
  /** 0 critical .. 3 low. */
  readonly severity: number;
  readonly message: string;
  readonly details: EventDetails;
}

/** Rows of a question with the details that their column holds as text. */
export const withDetails = <T extends { readonly details: EventDetails }>(
  rows: readonly (Omit<T, 'details'> & { readonly details: string })[],
): T[] => rows.map((row) => ({ ...row, details: parseDetails(row.details) }) as T);
