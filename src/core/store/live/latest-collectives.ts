import type { Session } from '../../../model/storage/engine.ts';

/**
 * Leaves one row of each operation of each rank: recorders write their list again and again, and an operation that was pending may
 * be complete in the next one. The row that got furthest stays, of equal ones the first, so that references to it remain valid.
 * To be called in the transaction that added rows of this source.
 *
 * @returns how many rows it removed
 */
export async function keepLatestCollectives(session: Session, source: number): Promise<number> {
  const removed = await session.query(
    `delete from collective where source_id = $1 and rowid in (
       select c.rowid from collective c
       left join name n on n.name_id = c.state
       where c.source_id = $1 and c.created_ns > 0
       qualify row_number() over (
         partition by c.rank, c.group_id, c.group_ranks, c.sequence, c.p2p_sequence, c.operation, c.created_ns
         order by c.completed_ns <> 0 or n.text = 'completed' desc, c.completed_ns desc, c.started_ns <> 0 or n.text = 'started' desc, c.rowid) > 1)
     returning source_id`,
    [source],
  );
  return removed.count;
}
