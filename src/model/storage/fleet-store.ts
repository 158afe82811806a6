/** Values of a statement, by the names that it has for them. */
export type FleetValues = Readonly<Record<string, string | number | bigint | readonly (string | number | bigint)[]>>;

/** Tables that a statement may name: `{database:Identifier}.{traces:Identifier}`. */
export type FleetTable = 'traces' | 'logs';

/** An archive that answers SQL of ClickHouse over all that it holds. Values are bound by name, never written into a statement. */
export interface FleetStore {
  /** Which of the tables of its plan there are. */
  tables(signal: AbortSignal): Promise<ReadonlySet<FleetTable>>;
  /** Name of the exporter's table of when traces begin and end; null: there is none. */
  traceTimes(signal: AbortSignal): Promise<string | null>;
  /**
   * For reading only, within limits of time and memory. Whole numbers of 64 bits are texts.
   *
   * @throws ProblemError archive.slice_too_large, archive.too_slow where less may be asked for; other archive.*
   */
  query(sql: string, values: FleetValues, signal: AbortSignal): Promise<readonly FleetRow[]>;
}

export type FleetRow = Readonly<Record<string, unknown>>;
