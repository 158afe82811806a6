import { tableNames } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { writePointRanges } from '../writer/point-ranges.ts';
import { writeSpanDirectory } from '../writer/span-directory.ts';

/** A part of a case: times on its clock, both included, and numbers of entities. */
export interface CaseCut {
  readonly from_ns: bigint | null;
  readonly to_ns: bigint | null;
  readonly entities: readonly number[] | null;
}

/** Conditions of the rows that belong to a part, by table, over the alias `t`. Tables that are left out go along whole. */
export function cutConditions({ from_ns, to_ns, entities }: CaseCut): Readonly<Record<string, string>> {
  const offset = '(select o.clock_offset_ns from source o where o.source_id = t.source_id)';
  // Additions stay within a BIGINT: what is open is left out, not taken for the end of time.
  const within = (first: string, last = first): string[] => [
    ...(from_ns === null ? [] : [`${last} + ${offset} >= ${from_ns}`]),
    ...(to_ns === null ? [] : [`${first} + ${offset} <= ${to_ns}`]),
  ];
  const list = entities?.join(', ') || '-1';
  const about = (condition: string): string[] => (entities === null ? [] : [condition]);
  const ofResource = `t.resource in (select r.resource_id from resource r where r.entity in (${list}))`;
  const ofSeries = `t.series in (select s.series_id from series s left join resource r on r.resource_id = s.resource where s.entity in (${list}) or r.entity in (${list}))`;
  const all = (...conditions: readonly string[][]): string => conditions.flat().join(' and ') || 'true';
  const span = all(within('t.start_ns', 't.end_ns'), about(`(t.service in (${list}) or ${ofResource})`));
  const ofSpan = `exists (select 1 from span s where s.source_id = t.source_id and s.trace_hi = t.trace_hi and s.trace_lo = t.trace_lo and s.span_id = t.span_id and ${span.replaceAll(/\bt\./g, 's.')})`;
  const valid = [
    ...(from_ns === null ? [] : [`t.valid_to_ns >= ${from_ns}`]),
    ...(to_ns === null ? [] : [`t.valid_from_ns <= ${to_ns}`]),
  ];
  return {
    span,
    span_event: ofSpan,
    span_link: ofSpan,
    point: all(within('t.time_ns'), about(ofSeries)),
    distribution: all(within('t.time_ns'), about(ofSeries)),
    exemplar: all(within('t.time_ns'), about(ofSeries)),
    log: all(within('coalesce(nullif(t.time_ns, 0), t.observed_ns)'), about(ofResource)),
    event: all(within('t.time_ns'), about(`t.entity in (${list})`)),
    collective: all(
      within(
        'coalesce(nullif(t.created_ns, 0), nullif(t.started_ns, 0), t.completed_ns)',
        'greatest(t.created_ns, t.started_ns, t.completed_ns)',
      ),
      about(`t.rank in (${list})`),
    ),
    outage: all(within('t.from_ns', 'coalesce(t.until_ns, t.from_ns + 31536000000000000)')),
    edge: all(valid, about(`t.from_entity in (${list}) and t.to_entity in (${list})`)),
    // What was cut off may be pulled again; each source still states its query.
    pulled: 'false',
    // Made anew of what remains.
    trace_place: 'false',
    span_count: 'false',
    series_extent: 'false',
    point_range: 'false',
  };
}

/** Numbers of name_id, by table and column: what is not used by a row that went along stays behind. */
const NAMES = [
  ['span', 'name'],
  ['span', 'scope'],
  ['span_event', 'name'],
  ['log', 'severity_text'],
  ['log', 'event_name'],
  ['log', 'scope'],
  ['event', 'origin'],
  ['event', 'type'],
  ['collective', 'group_id'],
  ['collective', 'group_name'],
  ['collective', 'group_ranks'],
  ['collective', 'operation'],
  ['collective', 'state'],
  ['collective', 'dtype'],
  ['edge', 'kind'],
  ['edge', 'provenance'],
] as const;

/** Cleans up a cut: removes unused names and series, and updates counts. */
export async function finishCut(session: Session, cut: CaseCut): Promise<void> {
  const used = NAMES.map(([table, column]) => `select ${column} from ${table}`).join(' union ');
  const timed = ['point', 'distribution', 'exemplar'].map((table) => `select series from ${table}`).join(' union ');
  const sources = rowsOf<{ id: number }>(await session.query('select source_id as id from source order by all'));
  await session.execute('begin transaction');
  try {
    await session.execute(`delete from series where series_id not in (${timed});
      delete from resource where resource_id not in (
        select resource from span where resource is not null union select resource from log where resource is not null
        union select resource from series where resource is not null);
      delete from name where name_id not in (select * from (${used}) as used(id) where id is not null);`);
    for (const { id } of sources) {
      await writeSpanDirectory(session, id);
      await writePointRanges(session, id);
      await recount(session, id);
    }
    await narrow(session, cut);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

async function recount(session: Session, id: number): Promise<void> {
  const counts: Record<string, number> = {};
  for (const table of tableNames) {
    if (table === 'reject') continue;
    const found = await session.query(`select count(*)::double from ${table} where source_id = $1`, [id]);
    const count = firstNumber(found);
    if (count > 0) counts[table] = count;
  }
  await session.query('update source set rows = $2 where source_id = $1', [id, JSON.stringify(counts)]);
}

/** Limits the recorded time of data sources to the cut: otherwise silence outside would count as evidence. */
async function narrow(session: Session, { from_ns, to_ns }: CaseCut): Promise<void> {
  if (from_ns !== null)
    await session.query(
      'update source set first_ns = greatest(first_ns, $1 - clock_offset_ns) where last_ns is not null',
      [from_ns],
    );
  if (to_ns !== null)
    await session.query('update source set last_ns = least(last_ns, $1 - clock_offset_ns) where last_ns is not null', [
      to_ns,
    ]);
  await session.execute('update source set first_ns = null, last_ns = null where first_ns > last_ns');
}
