/** Two events linked by a mechanism, or by two data sources that recorded the same event. */
export interface ClockPair {
  /** Evidence ids, `event:<event_id>`. */
  readonly cause_ref: string;
  readonly effect_ref: string;
  /** `voltage_sag > psu_failover (below)`, or `xid_error (two recorders)`. */
  readonly mechanism: string;
}

/** A time-zone error that would explain a separate data source. */
export interface SupposedZone {
  /** To add to its times: whole quarters of an hour. */
  readonly correction_ns: bigint;
  /** The data source whose events would be linked then; null: only an impact fits. */
  readonly otherSource: string | null;
  /** Evidence ids of the events that would fit. */
  readonly refs: readonly string[];
}

/**
 * `reference`: others are relative to it. `given`: set by the investigator. `linked_pairs`: estimated. `unknown`: not
 * estimated; the offset is unchanged and the uncertainty is wide.
 */
export type ClockMethod = 'reference' | 'given' | 'linked_pairs' | 'unknown';

/** `zone`: by whole quarters of an hour, as a wrong time zone does. */
export type ClockError = 'none' | 'shift' | 'zone' | 'unknown';

export interface ClockEstimate {
  readonly source_id: number;
  readonly name: string;
  readonly method: ClockMethod;
  readonly error: ClockError;
  /** Its reference clock; null for a reference and for unknown clocks. */
  readonly reference: number | null;
  /** To add to the source's recorded times: the new value of `clock_offset_ns` in the source table. */
  readonly offset_ns: bigint;
  /** The part of `offset_ns` that is not yet included in `time_ns` of the events. */
  readonly correction_ns: bigint;
  /** Half of the 95 % interval around the offset. */
  readonly uncertainty_ns: bigint;
  /** Its times are truncated to multiples of this (1 s in syslog and BMC logs); 0 if not truncated. */
  readonly resolution_ns: bigint;
  /** Parts per million by which the clock runs fast; null if there are too few pairs or they are too close in time. */
  readonly drift_ppm: number | null;
  /** A correction with too few pairs: used in ranking with a penalty. */
  readonly perhaps: SupposedZone | null;
  /** Number of linked pairs, and the first of them. */
  readonly pairs: number;
  readonly refs: readonly ClockPair[];
  readonly remark: string;
}

/** An estimate, with the data source that contains its records: a file may hold the events of several clocks. */
export interface FileClock extends ClockEstimate {
  readonly file_id: number;
}
