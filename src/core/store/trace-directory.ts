import type { Session } from '../../model/engine.ts';

/**
 * Enters the traces of one source into the directory by which `trace(id)` finds their spans (table trace_place). Belongs
 * into the transaction that brings the spans, after the last of them. Sorted by key: the engine then packs a row into 2
 * to 4 bytes, and its zone maps leave one row group of a source for a lookup.
 */
export async function writeTracePlaces(session: Session, sourceId: number): Promise<void> {
  await session.query(
    `insert into trace_place
       select distinct source_id, xor(trace_hi, trace_lo) & 68719476735 as key, (start_ns >> 34)::integer as slice
       from span
       where source_id = $1
       order by key, slice`,
    [sourceId],
  );
}
