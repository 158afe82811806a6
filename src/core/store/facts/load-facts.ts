/** Below what a supply, outlet or phase has no load; from how many earlier samples it usually had some; the share of them without. */
export interface LoadLimits {
  readonly watts: number;
  readonly amperes: number;
  readonly samples: number;
  readonly idleShare: number;
}

/** A supply of a machine, or an outlet or phase of a PDU, that lost its load while another one kept its own. In W or A, as `unit` states; times as recorded. */
export interface LostLoadFact {
  readonly series_id: number;
  readonly metric: string;
  readonly entity: number;
  readonly entity_kind: 'psu' | 'outlet' | 'pdu';
  /** JSON object text. */
  readonly attributes: string;
  readonly unit: string;
  readonly source_id: number;
  /** The first sample without load, and the one before. */
  readonly time_ns: bigint;
  readonly value: number;
  readonly before_ns: bigint;
  readonly before_value: number;
  /** The next sample with load; null: none. */
  readonly regained_ns: bigint | null;
  readonly regained_value: number | null;
  readonly regained_source: number | null;
}
