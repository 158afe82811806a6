import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import { ALWAYS_FROM, ALWAYS_TO, type RowBatch } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { withPeerNames } from '../queries/peer-name.ts';
import type { Identities } from './identities.ts';
import { storedColumns } from './stored-columns.ts';

/** Spans of a data source that are looked at; of more, a share of its traces. */
const MOST_SPANS = 200_000;
/** Fewer calls are one request's luck, or a name with an id in it. */
const LEAST_CALLS = 10;
/** Different ones of one data source. */
const MOST_CALLED = 500;
/** Above this share of calls with a span of the callee, the service records spans under another name. */
const MOST_ANSWERED = 0.05;

/** Answers lie in other data sources, too, by another clock; a case has many of them, and not all are read for each. */
const REACH_NS = 60_000_000_000n;
const RANGE = 'select min(start_ns) as first, max(start_ns) as last from span where source_id = $1 having count(*) > 0';

const PROVENANCE = 'spans of the caller';

/** Names of hosts, pods and other entities are none of a service. */
const CALLED = withPeerNames(`
with called as materialized (
  select s.trace_hi, s.trace_lo, s.span_id, s.service, peer_name(s.attributes) as name
  from span s
  where s.source_id = $1 and s.kind in (3, 4) and s.service is not null and s.attributes is not null
    and xor(s.trace_hi, s.trace_lo) & ($2::ubigint - 1) = 0
),
answered as (
  select distinct c.trace_hi, c.trace_lo, c.parent_id as span_id
  from span c
  join called on called.trace_hi = c.trace_hi and called.trace_lo = c.trace_lo and called.span_id = c.parent_id
  where called.name is not null and c.service is distinct from called.service and c.start_ns between $3 and $4
),
counted as (
  select name, service, count(*) as calls, count(a.span_id) as answered
  from called
  left join answered a using (trace_hi, trace_lo, span_id)
  where name is not null
  group by all
),
wanted as (
  select name
  from counted
  where name not in (select id from entity where kind <> 'service')
    and name not in (select split_part(id, '/', -1) from entity where kind <> 'service')
    and name not in (select name from alias)
    -- A service that is known otherwise needs no other record; without a look at all spans of the case, for each source.
    and (name not in (select id from entity where kind = 'service')
      or name in (select t.id from edge e join entity t on t.entity_id = e.to_entity join name n on n.name_id = e.provenance
        where n.text = '${PROVENANCE}'))
  group by name
  having sum(calls) >= ${LEAST_CALLS} and sum(answered) <= ${MOST_ANSWERED} * sum(calls)
  order by sum(calls) desc, name
  limit ${MOST_CALLED}
)
select name, caller.id as caller
from counted
join wanted using (name)
join entity caller on caller.entity_id = counted.service and caller.kind = 'service'
order by all`);

/**
 * Adds the services that client spans of these data sources name and that record no spans of their own (a database, a cache, a
 * service of others), each with a link from its callers: as suspects they would be missing, and their callers be accused.
 * Called before the commit, when the entities and spans of the data sources are in the tables.
 * @returns whether any were new
 */
export async function addCalledServices(
  session: Session,
  sources: readonly { readonly id: number; readonly spans: number }[],
  identities: Identities,
): Promise<boolean> {
  let isNew = false;
  for (const { id, spans } of sources) {
    if (spans === 0) continue;
    const share = 2 ** Math.max(0, Math.ceil(Math.log2(spans / MOST_SPANS)));
    const [range] = rowsOf<{ first: bigint; last: bigint }>(await session.query(RANGE, [id]));
    if (!range) continue;
    const [from, to] = [range.first - REACH_NS, range.last + REACH_NS];
    const values = [id, BigInt(share), from < ALWAYS_FROM ? ALWAYS_FROM : from, to > ALWAYS_TO ? ALWAYS_TO : to];
    const calls = rowsOf<{ name: string; caller: string }>(await session.query(CALLED, values));
    if (calls.length === 0) continue;
    const batch = batchOf(calls);
    const remap = identities.remap(batch);
    isNew ||= identities.hasNewEntities;
    await identities.flush(session, id);
    const rows = batch.tables.edge!;
    const columns = storedColumns({ table: 'edge', rows, remap, source: id, event: 0 });
    await session.append('edge', columns, rows.count);
  }
  return isNew;
}

function batchOf(calls: readonly { readonly name: string; readonly caller: string }[]): RowBatch {
  const builder = new BatchBuilder();
  for (const { name, caller } of calls)
    appendEdge(builder, {
      from: builder.entity('service', caller),
      kind: 'calls',
      to: builder.entity('service', name),
      provenance: PROVENANCE,
    });
  return builder.finish(0);
}
