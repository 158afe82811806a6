import type { Session } from '../../model/engine.ts';
import type { TableName } from '../../model/rows.ts';
import { rowsOf } from './case-file.ts';
import { outdateDerivedEvents } from './derived-events.ts';
import { writePointRanges } from './point-ranges.ts';
import { resolveEntities } from './resolve-entities.ts';
import { storeSpansOnce } from './same-spans.ts';
import { writeSpanDirectory } from './span-directory.ts';

/** Sources whose directories are still to be made; kept in the case, so that a killed process leaves no half of one. */
const UNFINISHED = 'capture_unfinished';

/** What whoever opens the case next has to do, should the process that writes live rows not come to it. */
export async function markUnfinished(session: Session, sources: string): Promise<void> {
  await outdateDerivedEvents(session);
  await session.query('insert or replace into meta values ($1, $2)', [UNFINISHED, sources]);
}

/** Makes what the sources of a capture need to be found as fast as any; does nothing where no capture was left unfinished. */
export async function finishCapture(session: Session): Promise<void> {
  const [left] = rowsOf<{ value: string }>(await session.query('select value from meta where key = $1', [UNFINISHED]));
  if (!left) return;
  await session.execute('begin transaction');
  try {
    for (const id of JSON.parse(left.value) as number[]) await finishSource(session, id);
    await session.query('delete from meta where key = $1', [UNFINISHED]);
    await outdateDerivedEvents(session);
    await resolveEntities(session);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

async function finishSource(session: Session, id: number): Promise<void> {
  const [row] = rowsOf<{ rows: string; first: bigint | null; last: bigint | null; remarks: string }>(
    await session.query('select rows, first_ns as first, last_ns as last, remarks from source where source_id = $1', [
      id,
    ]),
  );
  if (!row) return;
  // Of a capture that was killed: what lasted then ended, as far as is known, with what was recorded last.
  await session.query(
    'update outage set until_ns = greatest(from_ns, (select max(last_ns) from source)) where source_id = $1 and until_ns is null',
    [id],
  );
  const counts = JSON.parse(row.rows) as Partial<Record<TableName, number>>;
  const once = await storeSpansOnce(session, { sourceId: id, counts, first: row.first, last: row.last });
  const remarks = [...(JSON.parse(row.remarks) as string[]), ...once.remarks];
  await session.query('update source set rows = $2, remarks = $3 where source_id = $1', [
    id,
    JSON.stringify(once.counts),
    JSON.stringify(remarks),
  ]);
  for (const table of ['trace_place', 'span_count', 'series_extent', 'point_range'])
    await session.query(`delete from ${table} where source_id = $1`, [id]);
  await writeSpanDirectory(session, id);
  await writePointRanges(session, id);
}
