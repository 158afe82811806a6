import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';

/**
 * How many spans of a new source end before they start: counted where they lie, so that no decoder does it span by span
 * (two columns of 1.5 M rows are read in some ten milliseconds). They are kept: what was sent is evidence of its sender.
 *
 * @returns a remark for people; [] where there is none
 */
export async function backwardSpans(session: Session, sourceId: number, spans: number): Promise<string[]> {
  if (spans === 0) return [];
  const sql = 'select count(*)::double as n from span where source_id = $1 and end_ns < start_ns';
  const [found] = rowsOf<{ n: number }>(await session.query(sql, [sourceId]));
  if (!found || found.n === 0) return [];
  const what = found.n === 1 ? 'span ends before it starts' : 'spans end before they start';
  return [`${found.n} ${what}: a clock of the sender was set back or is wrong; stored as sent`];
}
