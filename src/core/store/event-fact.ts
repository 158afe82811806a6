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
}
