/**
 * Flight Recorder dumps of PyTorch (torch/csrc/distributed/c10d/FlightRecorder.hpp, versions 2.4 to 2.10): one file per
 * rank, as a pickle or as JSON, written when a collective hangs. See https://pytorch.org/docs/stable/distributed.html
 */
export const topKeys = [
  'version',
  'pg_config',
  'pg_status',
  'entries',
  'nccl_version',
  'comm_lib_version',
  'nccl_comm_state',
  'rank',
] as const;

/** Members that make an object an entry; formats with a list called `entries` do not have two of them. */
export const entryKeys = [
  'record_id',
  'pg_id',
  'process_group',
  'collective_seq_id',
  'p2p_seq_id',
  'profiling_name',
  'time_created_ns',
  'time_discovered_started_ns',
] as const;

/** A decoded object, from a pickle (no prototype) or from JSON: read with {@link member} only. */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own member: `constructor` of a JSON object is not data. */
export const member = (object: Members, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

export interface ProcessGroup {
  readonly description: string;
  /** Global ranks in the order of their rank within the group; null where the dump does not list them. */
  readonly ranks: readonly number[] | null;
}

/** One rank's dump. */
export interface Dump {
  /** Everything but `entries`. */
  readonly head: Members;
  readonly entries: readonly { readonly at: number; readonly value: unknown }[];
  /** Entries that could not be read. */
  readonly broken: readonly { readonly at: number; readonly reason: string; readonly excerpt: string }[];
}
