import type { Session } from '../../../model/storage/engine.ts';

/** Repeats lie less than this after one another. */
const REPEAT_NS = 60_000_000_000;
/** Of errors that drivers write again and again while they last. */
const repeating = "'xid_error', 'nvswitch_error'";
/** What repeats have in common. */
const same = 'entity, origin, type, message, pid, process';

/**
 * Makes the repeats of an error one event: a driver writes an Xid of a GPU and process (an SXid of a switch and link) many times
 * within seconds. The first one stays, so that references to it remain valid, with `count` and `last_time_ns` among its attributes, as
 * events of Kubernetes have them, and how long it lasted. Log records stay as they are. To be called in the transaction that added rows
 * of this source.
 *
 * @returns how many rows it removed
 */
export async function countRepeats(session: Session, source: number): Promise<number> {
  // Most cases have none of these errors, and what follows takes ten times as long to prepare.
  const known = await session.query(`select 1 from name where text in (${repeating}) limit 1`);
  if (known.count === 0) return 0;
  await session.query(
    `create or replace temp table counted_repeat as
     with error as (
       select event_id, time_ns, entity, origin, type, message, stated->>'$.pid' as pid, stated->>'$.process' as process,
         greatest(1, coalesce(try_cast(stated->>'$.count' as bigint), 1)) as count,
         greatest(time_ns, coalesce(try_cast(stated->>'$.last_time_ns' as bigint), time_ns)) as last_ns
       from (select *, case when json_valid(attributes) then attributes end as stated from event)
       where source_id = $1 and original_id is null and type in (select name_id from name where text in (${repeating}))
     ),
     followed as (
       select *, max(last_ns) over (
         partition by ${same} order by time_ns, event_id rows between unbounded preceding and 1 preceding) as before_ns
       from error
     ),
     numbered as (
       select *, sum((not coalesce(try(time_ns - before_ns) < ${REPEAT_NS}, false))::integer) over (
         partition by ${same} order by time_ns, event_id) as run
       from followed
     )
     select event_id, min(event_id) over one as first_id, min(time_ns) over one as first_ns, sum(count) over one as count, max(last_ns) over one as last_ns
     from numbered
     window one as (partition by ${same}, run)
     qualify count(*) over one > 1`,
    [source],
  );
  const removed = await session.query(
    'delete from event where event_id in (select event_id from counted_repeat where event_id <> first_id) returning event_id',
  );
  if (removed.count > 0)
    await session.query(
      `update event e set time_ns = r.first_ns, attributes = json_merge_patch(
         case when json_valid(e.attributes) then e.attributes else '{}' end,
         json_object('count', r.count, 'last_time_ns', r.last_ns::varchar)),
         details = json_merge_patch(
           case when json_valid(e.details) then e.details else '{}' end, json_object('lasted_s', (r.last_ns::double - r.first_ns::double) / 1e9))
       from counted_repeat r
       where e.event_id = r.first_id and r.event_id = r.first_id`,
    );
  await session.execute('drop table counted_repeat');
  return removed.count;
}
