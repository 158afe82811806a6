import type { Session } from '../../../model/storage/engine.ts';
import { type CutByTime, eachPart, uncut } from '../copies/time-parts.ts';

/**
 * Enters the points of one source into what long windows are drawn from: the extent of each series, with slices so long
 * that one holds 8 points at the series' usual distance, and the slices (tables series_extent, point_range). Belongs into
 * the transaction that brings the points, after the last of them. Sorted, so that zone maps leave a series' own. Values that no
 * float can hold (sentinels such as the largest double) have no slices and are read from points.
 */
export async function writePointRanges(session: Session, sourceId: number, cut: CutByTime = uncut): Promise<void> {
  await session.query(
    `insert into series_extent
     select source_id, series,
       case when points >= 32 and last_ns > first_ns and most <= 3.4e38
         then least(62, greatest(0, ceil(log2(8 * (last_ns::double - first_ns::double) / (points - 1)))))::utinyint end as shift,
       points
     from (
       select source_id, series, sum(points)::bigint as points, min(first_ns) as first_ns, max(last_ns) as last_ns, max(most) as most
       from (${eachPart(
         cut('point', 1n),
         (
           where,
         ) => `select source_id, series, count(*) as points, min(time_ns) as first_ns, max(time_ns) as last_ns, coalesce(max(abs(value)), 0) as most
         from point
         where source_id = $1 and ${where}
         group by all`,
       )})
       group by all
     )
     order by series`,
    [sourceId],
  );
  const longest = await session.query('select max(shift) from series_extent where source_id = $1', [sourceId]);
  const shift = longest.columns[0]?.[0];
  if (typeof shift !== 'number') return;
  await session.query(
    `insert into point_range
     ${eachPart(
       cut('point', 1n << BigInt(shift)),
       (
         where,
       ) => `select p.source_id, p.series, p.time_ns >> x.shift as slice, min(p.value), max(p.value), arg_max(p.value, p.time_ns)
       from point p
       join series_extent x on x.source_id = p.source_id and x.series = p.series
       where p.source_id = $1 and x.shift is not null and p.value is not null and ${where}
       group by all`,
     )}
     order by series, slice`,
    [sourceId],
  );
}
