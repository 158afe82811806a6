/**
 * Recorded spans of one or several traces: columns with one entry per span, traces by their first start, spans of a trace by
 * their own. Times are whole nanoseconds after one instant; unknown is -1 (0 for a parent).
 */
export interface RecordedSpans {
  readonly trace: Int32Array;
  readonly id: BigUint64Array;
  readonly parent_id: BigUint64Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  readonly service: Int32Array;
  /** Its process: spans of one process share a clock. */
  readonly process: Int32Array;
  readonly name: Int32Array;
  readonly kind: Uint8Array;
  readonly status: Uint8Array;
}

/** Indexes in `spanKinds`. */
export const SERVER = 2;
export const CLIENT = 3;
export const PRODUCER = 4;
export const CONSUMER = 5;
export const ERROR = 2;
