/** Two events that one mechanism, or two recorders of one thing, tie together. */
export interface ClockPair {
  /** Evidence ids, `event:<event_id>`. */
  readonly cause_ref: string;
  readonly effect_ref: string;
  /** `voltage_sag > psu_failover (below)`, or `xid_error (two recorders)`. */
  readonly mechanism: string;
}

/** A wrong zone that would bring a source that lies apart among the others. */
export interface SupposedZone {
  /** To add to its times: whole quarters of an hour. */
  readonly correction_ns: bigint;
  /** The source whose events some of its own would fit then; null: an impact alone. */
  readonly otherSource: string | null;
  /** Evidence ids of the events that would fit. */
  readonly refs: readonly string[];
}

/**
 * `reference`: others are told relative to it. `given`: by the investigator. `linked_pairs`: estimated.
 * `unknown`: the recording does not tell; the offset is as it was and the uncertainty is wide.
 */
export type ClockMethod = 'reference' | 'given' | 'linked_pairs' | 'unknown';

/** `zone`: by whole quarters of an hour, as a wrong time zone does. */
export type ClockError = 'none' | 'shift' | 'zone' | 'unknown';

export interface ClockEstimate {
  readonly source_id: number;
  readonly name: string;
  readonly method: ClockMethod;
  readonly error: ClockError;
  /** Whose clock it was brought to; null for a reference and for what is unknown. */
  readonly reference: number | null;
  /** To add to the source's recorded times: what the source table's `clock_offset_ns` should be. */
  readonly offset_ns: bigint;
  /** The part of `offset_ns` that the given events' `time_ns` does not contain yet. */
  readonly correction_ns: bigint;
  /** Half of the 95 % interval around the offset. */
  readonly uncertainty_ns: bigint;
  /** Its times are cut to multiples of this (1 s in syslog and BMC logs); 0 when they are not. */
  readonly resolution_ns: bigint;
  /** Parts per million by which the clock runs fast; null where too few pairs lie too close together to tell. */
  readonly drift_ppm: number | null;
  /** What too few pairs speak for to correct it: its events are weighed as if, and it counts against whoever needs it. */
  readonly perhaps: SupposedZone | null;
  /** How many linked pairs speak about it, and the first of them. */
  readonly pairs: number;
  readonly refs: readonly ClockPair[];
  readonly remark: string;
}
