import type { ArchiveClient, ArchiveRequest, Members } from '../http/archive-client.ts';

/**
 * Limits of time, rows, bytes and memory that a shorter slice may stay within: TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW,
 * MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES.
 */
const tooLarge = /Code: (?:158|159|160|241|307|396)\b/;

const MAGIC = 'PAR1';
/** The magic at both ends; between them at least a footer. */
const isParquet = (body: Buffer): boolean =>
  body.length >= 12 && body.toString('latin1', 0, 4) === MAGIC && body.toString('latin1', body.length - 4) === MAGIC;

/** The HTTP interface of ClickHouse, for reading only. */
export class ClickHouseApi {
  private readonly client: ArchiveClient;

  constructor(client: ArchiveClient) {
    this.client = client;
  }

  /** Rows of a small answer. */
  async rows(sql: string, signal: AbortSignal): Promise<readonly Members[]> {
    const { members } = await this.client.json(
      this.request(`${sql} FORMAT JSON`),
      (answer) => Array.isArray(answer['data']),
      signal,
    );
    return members['data'] as readonly Members[];
  }

  async parquet(sql: string, signal: AbortSignal): Promise<Buffer> {
    return this.client.bytes(this.request(`${sql} FORMAT Parquet`), isParquet, signal);
  }

  private request(text: string): ArchiveRequest {
    // The answer is held back until it is whole: an exception in the middle of it is then a status. Texts are texts, not bytes.
    const settings = { readonly: '2', wait_end_of_query: '1', output_format_parquet_string_as_string: '1' };
    return { path: '/', query: settings, text, tooLarge };
  }
}
