/** What a new archive is to have. */
export interface SchemaOptions {
  readonly database: string;
  /** How long records without an error or a warning stay. */
  readonly days: number;
  /** How long all others stay. */
  readonly important_days: number;
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
  /** Which of the tables of its plan there are. */
  tables(signal: AbortSignal): Promise<ReadonlySet<FleetTable>>;
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
   * Adds rows with these columns. May be repeated: see {@link PushedTable}.
   *
   * @throws ProblemError archive.*
   */
  put(table: PushedTable, rows: readonly object[], signal: AbortSignal): Promise<void>;
  /** Makes what is missing of the tables of a new archive, in the database of the plan. @returns statements that were run */
  createTables(days: Pick<SchemaOptions, 'days' | 'important_days'>, signal: AbortSignal): Promise<number>;
}

export type FleetRow = Readonly<Record<string, unknown>>;
