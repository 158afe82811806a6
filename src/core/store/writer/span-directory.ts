import type { Session } from '../../../model/storage/engine.ts';
import { type CutByTime, eachPart, uncut } from '../copies/time-parts.ts';

/** Of the longer slices, in which both directories can be cut. */
const SLICE_NS = 1n << 34n;

/**
 * Enters the spans of one source into what is kept to find them by: the places of its traces (table trace_place), by which
 * `trace(id)` finds their spans, and their counts by time (table span_count). Belongs into the transaction that brings the
 * spans, after the last of them. Sorted, so that the engine packs a row into a few bytes and its zone maps leave one row
 * group of a source for a lookup.
 */
export async function writeSpanDirectory(session: Session, sourceId: number, cut: CutByTime = uncut): Promise<void> {
  const parts = cut('span', SLICE_NS);
  await session.query(
    `insert into trace_place
     ${eachPart(
       parts,
       (
         where,
       ) => `select distinct source_id, xor(trace_hi, trace_lo) & 68719476735 as key, (start_ns >> 34)::integer as slice
       from span
       where source_id = $1 and ${where}`,
     )}
     order by key, slice`,
    [sourceId],
  );
  await session.query(
    `insert into span_count
     ${eachPart(
       parts,
       (where) => `select source_id, start_ns >> 27 as slice, count(*)
       from span
       where source_id = $1 and ${where}
       group by all`,
     )}
     order by slice`,
    [sourceId],
  );
}
