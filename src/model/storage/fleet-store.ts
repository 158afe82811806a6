import type { FetchedSlice } from './fetched-slice.ts';

/** What a new archive is to have. */
export interface SchemaOptions {
  readonly database: string;
  /** How long records without an error or a warning stay. */
  readonly days: number;
  /** How long all others stay. */
  readonly important_days: number;
  /** Address of the web host that its dashboard links to; left out or null: it has no links. */
  readonly links?: string | null;
}

/** Values of a statement, by the names that it has for them. */
export type FleetValues = Readonly<Record<string, string | number | bigint | readonly (string | number | bigint)[]>>;

/** Tables that a statement may name: `{database:Identifier}.{traces:Identifier}`. */
export type FleetTable = 'traces' | 'logs';

/** Tables that Faultline fills itself; rows of equal keys replace each other. */
export const pushedTables = ['faultline_incidents', 'faultline_findings'] as const;
export type PushedTable = (typeof pushedTables)[number];

/** An archive that answers SQL of ClickHouse over all that it holds. Values are bound by name, never written into a statement. */
export interface FleetStore {
  /** The same archive, of whose tables only rows are there that meet a condition in its SQL. */
  where(condition: string): FleetStore;
  /** Base address of the Grafana that draws what is pushed; null: the plan names none. */
  readonly grafana: string | null;
  /** Which of the tables of its plan there are. */
  tables(signal: AbortSignal): Promise<ReadonlySet<FleetTable>>;
  /** Names of the tables of gauges and sums that there are. */
  sampleTables(signal: AbortSignal): Promise<readonly SampleTable[]>;
  /** Name of the exporter's table of when traces begin and end; null: there is none. */
  traceTimes(signal: AbortSignal): Promise<string | null>;
  /** Whether the tables are there that Faultline fills itself. */
  hasPushedTables(signal: AbortSignal): Promise<boolean>;
  /**
   * For reading only, within limits of time and memory. Whole numbers of 64 bits are texts.
   *
   * @throws ProblemError fleet.too_much where less may be asked for; archive.*
   */
  query(sql: string, values: FleetValues, signal: AbortSignal): Promise<readonly FleetRow[]>;
  /**
   * The answer as a file for importers; the caller discards it. As {@link FleetStore.query}.
   *
   * @throws ProblemError fleet.too_much, archive.*
   */
  slice(sql: string, values: FleetValues, signal: AbortSignal): Promise<FetchedSlice>;
  /**
   * Adds rows with these columns. May be repeated: see {@link PushedTable}.
   *
   * @throws ProblemError archive.*
   */
  put(table: PushedTable, rows: readonly object[], signal: AbortSignal): Promise<void>;
  /** Makes what is missing of the tables of a new archive, in the database of the plan. @returns statements that were run */
  createTables(days: Pick<SchemaOptions, 'days' | 'important_days'>, signal: AbortSignal): Promise<number>;
}

export interface SampleTable {
  readonly name: string;
  readonly kind: 'gauge' | 'sum';
}

export type FleetRow = Readonly<Record<string, unknown>>;
