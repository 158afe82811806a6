/** One incident of a public set, as files for the ordinary importers. */
export interface LabelledIncident {
  readonly name: string;
  /** File name to content: OTLP JSON lines and a topology CSV. */
  readonly files: Readonly<Record<string, string>>;
  /** A recording of normal days of the same services, as OTLP JSON lines; null: none. */
  readonly normal: string | null;
  /** The failure time that the set states. */
  readonly at_ns: bigint;
  /** The service whose users complained; null if the data set does not state it. */
  readonly sufferer: string | null;
  /** The service in which the fault was injected. */
  readonly root_cause: string;
  /** What was injected, for the table. */
  readonly fault: string;
}

export interface PublicSet {
  readonly name: string;
  /** Cause reported by the authors, with its source; or unknown. */
  readonly published: string;
  /** The incidents that are present, one after another. */
  read(): AsyncIterable<LabelledIncident>;
}
