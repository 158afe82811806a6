/** A span of a repair program. Times on the case's clock; ids as hex. */
export interface RepairSpan {
  readonly trace_id: string;
  readonly span_id: string;
  /** '' for a root. */
  readonly parent_id: string;
  readonly service: string;
  readonly name: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly failed: boolean;
  readonly status_message: string;
  /** Of the span, by name. */
  readonly attributes: Readonly<Record<string, unknown>>;
}
