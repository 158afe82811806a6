import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { queries } from '../queries/index.ts';

/** Log records as columns, in the order of their rows. */
export interface LogLines {
  readonly count: number;
  readonly source_id: ArrayLike<number>;
  readonly row_number: ArrayLike<number>;
  /** -1: none. */
  readonly resource: ArrayLike<number>;
  readonly severity: ArrayLike<number>;
  /** Seconds after the origin that was asked for, on the case's clock. */
  readonly offset_s: ArrayLike<number>;
  /** The same for equal bodies of this answer, from 1. */
  readonly code: ArrayLike<number>;
  /** Without ids and long numbers; null but in the first row that has it. */
  readonly body: ArrayLike<string | null>;
}

/** Rows from (inclusive) to (exclusive), of which one of `share` is read, and every error. */
export interface LogBlock {
  readonly from: bigint;
  readonly to: bigint;
  /** A power of two. */
  readonly share: number;
  readonly origin_ns: bigint;
}

export interface LogReader {
  /** How many records there are, and the last one's row; -1 when there is none. */
  logExtent(): Promise<{ readonly records: number; readonly last_row: bigint }>;
  logLines(stretch: LogBlock): Promise<LogLines>;
}

export function createLogReader(session: Session, signal?: AbortSignal): LogReader {
  return {
    logExtent: async () => {
      const sql = 'select count(*)::double as records, coalesce(max(rowid), -1)::bigint as last_row from log';
      const [extent] = rowsOf<{ records: number; last_row: bigint }>(await session.query(sql, [], signal));
      return extent ?? { records: 0, last_row: -1n };
    },
    logLines: async ({ from, to, share, origin_ns }) => {
      const found = await session.query(queries.logLines, [from, to, BigInt(share), origin_ns], signal);
      const column = (name: string) => found.columns[found.names.indexOf(name)] ?? [];
      return {
        count: found.count,
        source_id: column('source_id') as readonly number[],
        row_number: column('row_number') as readonly number[],
        resource: column('resource') as readonly number[],
        severity: column('severity') as readonly number[],
        offset_s: column('offset_s') as readonly number[],
        code: column('code') as readonly number[],
        body: column('body') as readonly (string | null)[],
      };
    },
  };
}
