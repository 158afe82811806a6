import type { FleetValues } from '../../../model/storage/fleet-store.ts';
import type { ArchiveClient, ArchiveRequest, Members } from '../http/archive-client.ts';
import { parametersOf } from './parameters.ts';

/**
 * Limits of time, rows, bytes and memory that a shorter slice may stay within: TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW,
 * MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES.
 */
const tooLarge = /Code: (?:158|159|160|241|307|396)\b/;

/**
 * What is wrong with a statement or its rights is answered with 500, too: types and identifiers, syntax, a table or database that is not there, read only,
 * a pattern that is none, values, settings and rights.
 */
const refused = /Code: (?:36|42|43|46|47|53|60|62|81|164|386|427|452|456|457|497)\b/;

/** Rows: as many as DuckDB stores in one. */
const ROW_GROUP = '122880';

const MAGIC = 'PAR1';
/** The magic at both ends; between them at least a footer. */
const isParquet = (body: Buffer): boolean =>
  body.length >= 12 && body.toString('latin1', 0, 4) === MAGIC && body.toString('latin1', body.length - 4) === MAGIC;

/** Of one statement, beside its limits. */
type Settings = Readonly<Record<string, string>>;

/** What one statement may take. */
export interface QueryLimits {
  readonly timeout_s: number;
  readonly memory_gib: number;
}

/** The HTTP interface of ClickHouse; for reading only, but for {@link ClickHouseApi.change}. */
export class ClickHouseApi {
  private readonly client: ArchiveClient;
  private readonly limits: QueryLimits;

  constructor(client: ArchiveClient, limits: QueryLimits) {
    this.client = client;
    this.limits = limits;
  }

  /** Rows of a small answer; whole numbers of 64 bits are texts. */
  async rows(
    sql: string,
    signal: AbortSignal,
    values: FleetValues = {},
    settings: Settings = {},
  ): Promise<readonly Members[]> {
    const { members } = await this.client.json(
      this.request(`${sql} FORMAT JSON`, values, settings),
      (answer) => Array.isArray(answer['data']),
      signal,
    );
    return members['data'] as readonly Members[];
  }

  async parquet(sql: string, signal: AbortSignal, values: FleetValues = {}, settings: Settings = {}): Promise<Buffer> {
    return this.client.bytes(this.request(`${sql} FORMAT Parquet`, values, settings), isParquet, signal);
  }

  /** A statement that may be repeated, and its rows. */
  async change(sql: string, rows: string, signal: AbortSignal): Promise<void> {
    const query = { query: sql, wait_end_of_query: '1', max_execution_time: String(Math.ceil(this.limits.timeout_s)) };
    await this.client.bytes({ path: '/', query, text: rows, refused }, () => true, signal);
  }

  private request(text: string, values: FleetValues, more: Settings): ArchiveRequest {
    const settings = {
      ...more,
      readonly: '2',
      // The answer is held back until it is whole: an exception in the middle of it is then a status.
      wait_end_of_query: '1',
      // Texts are texts, not bytes.
      output_format_parquet_string_as_string: '1',
      // Otherwise a slice is one row group, which one thread reads.
      output_format_parquet_row_group_size: ROW_GROUP,
      output_format_json_quote_64bit_integers: '1',
      max_execution_time: String(Math.ceil(this.limits.timeout_s)),
      max_memory_usage: String(this.limits.memory_gib * 1024 ** 3),
    };
    return { path: '/', query: { ...settings, ...parametersOf(values) }, text, tooLarge, refused };
  }
}
