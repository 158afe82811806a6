/**
 * Spans as they were recorded, of one trace or several: columns of one entry a span, traces by
 * their first beginning, spans of one by their own. Times are whole
 * nanoseconds after one instant; what is not known is -1 (0 for a parent).
 */
export interface RecordedSpans {
  readonly trace: Int32Array;
  readonly id: BigUint64Array;
  readonly parent_id: BigUint64Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  readonly service: Int32Array;
  /** What wrote it: spans of one process share a clock. */
  readonly process: Int32Array;
  readonly name: Int32Array;
  readonly kind: Uint8Array;
  readonly status: Uint8Array;
}

/** Places in `spanKinds`. */
export const SERVER = 2;
export const CLIENT = 3;
export const PRODUCER = 4;
export const CONSUMER = 5;
export const ERROR = 2;
