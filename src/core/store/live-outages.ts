import type { Session } from '../../model/engine.ts';
import { type RowBatch, type TableRows, tableNames } from '../../model/rows.ts';
import { timeRangeOf } from './stored-columns.ts';

/** A feed got nothing, from and until on this machine's clock, which is the case's; null: it lasts. */
export interface Outage {
  readonly from: bigint;
  until: bigint | null;
  /** Rows came since it ended. */
  isSettled: boolean;
  readonly reason: string;
}

/** Whose outages they are, and on which clock. */
interface WithOutages {
  readonly id: number;
  readonly source: { readonly clock_offset_ns: bigint };
  readonly outages: readonly Outage[];
}

/** A feed says that it gets something again when it has it: what it got then ends the outage, not the word. */
export function endWithRows({ outages, source }: WithOutages, batch: RowBatch): void {
  const last = outages.at(-1);
  if (!last || last.until === null || last.isSettled) return;
  last.isSettled = true;
  for (const table of tableNames) {
    const rows = batch.tables[table] as TableRows | undefined;
    const range = rows && rows.count > 0 ? timeRangeOf(rows) : null;
    const first = range && range.first + source.clock_offset_ns;
    if (first && first > last.from && first < last.until) last.until = first;
  }
}

/** A case keeps times on the clocks of their sources. */
export async function writeOutages(session: Session, { id, outages, source }: WithOutages): Promise<void> {
  const own = (at_ns: bigint): bigint => at_ns - source.clock_offset_ns;
  await session.query('delete from outage where source_id = $1', [id]);
  for (const { from, until, reason } of outages)
    await session.query('insert into outage values ($1, $2, $3, $4)', [
      id,
      own(from),
      until === null ? null : own(until),
      reason,
    ]);
}
