/** From how many earlier samples a reading has a normal level, and how far from it is a shift. */
export interface ShiftLimits {
  readonly samples: number;
  /** Of the normal flow, below which it is low, 0 to 1. */
  readonly flowShare: number;
  /** Above the normal supply temperature, K. */
  readonly kelvin: number;
  /** Of the way from the limit to the normal level, after which it is back, 0 to 1. */
  readonly backShare: number;
  /** Regular expression of metrics that count the seconds for which work on a machine waited. */
  readonly pressure: string;
  /** Of time, 0 to 1: less waiting is none. */
  readonly pressureShare: number;
  /** Of the usual share. */
  readonly pressureTimes: number;
}

/** A reading of a cooling unit or of a machine's pressure that left its normal level. Times as recorded, values in `unit`. */
export interface ShiftFact {
  readonly series_id: number;
  readonly metric: string;
  readonly entity: number;
  /** JSON object text. */
  readonly attributes: string;
  readonly unit: string;
  readonly source_id: number;
  /** The first sample beyond the limit, and the one before. */
  readonly time_ns: bigint;
  readonly value: number;
  readonly before_ns: bigint;
  readonly before_value: number;
  /** Median of all earlier samples. */
  readonly usual: number;
  /** The first sample that is back; null: none until the end. */
  readonly ended_ns: bigint | null;
  readonly ended_value: number | null;
  readonly ended_source: number | null;
}
