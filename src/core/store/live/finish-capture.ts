import { z } from 'zod';
import type { TableName } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Running } from '../../../model/storage/feed.ts';
import type { ReadPlaces } from '../../../model/storage/source.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { backwardSpans } from '../writer/backward-spans.ts';
import { addCalledServices } from '../writer/called-services.ts';
import { outdateDerivedEvents } from '../writer/derived-events.ts';
import { Identities } from '../writer/identities.ts';
import { writePointRanges } from '../writer/point-ranges.ts';
import { resolveEntities } from '../writer/resolve-entities.ts';
import { storeSpansOnce } from '../writer/same-spans.ts';
import { writeSpanDirectory } from '../writer/span-directory.ts';
import { addStatedPlaces } from '../writer/stated-places.ts';
import { lengthText } from './live-source.ts';

/** Sources whose directories are still to be made; kept in the case, so that a killed process leaves no half of one. */
const UNFINISHED = 'capture_unfinished';

/** When a capture wrote last, by this machine's clock, in decimal: what senders stamp may be of any time. */
const WRITTEN = 'capture_written';

/** How long its machine had run then, and which of its sources their senders stamp: {@link Ran}. */
const RAN = 'capture_ran';

/** Of a capture that was killed, until the next one begins: its sources, and when it wrote last. */
const KILLED = 'capture_killed';
const KILLED_REASON =
  'the capture was killed, ran out of disk space, or this machine went down: nothing was recorded until the next one began';

/** In decimal. */
const nanoseconds = z
  .string()
  .regex(/^-?\d{1,19}$/)
  .refine((text) => BigInt.asIntN(63, BigInt(text)) === BigInt(text));
const idsSchema = z.array(z.int().nonnegative());
const ranSchema = z.object({ boot: z.string(), for_ns: nanoseconds, theirs: idsSchema });
type Ran = z.infer<typeof ranSchema>;
const killedSchema = z.object({
  ids: idsSchema,
  /** Of the case's clock. */
  at_ns: nanoseconds,
  /** null: that is not known. */
  ran: ranSchema.nullable().default(null),
});
type Killed = z.infer<typeof killedSchema>;

/** A case may come from outside: null if this is not our record. */
function noteOf<T>(schema: z.ZodType<T>, text: string | undefined): T | null {
  try {
    return schema.safeParse(JSON.parse(text ?? 'null')).data ?? null;
  } catch {
    return null;
  }
}

/** Work for the next opening of the case if the capturing process is killed. */
export async function markUnfinished(session: Session, sources: string): Promise<void> {
  await outdateDerivedEvents(session);
  await session.query('insert or replace into meta values ($1, $2)', [UNFINISHED, sources]);
}

/**
 * With each flush of a capture.
 *
 * @param theirs sources that their senders stamp
 */
export async function markWritten(
  session: Session,
  at_ns: bigint,
  ran: Running | null,
  theirs: readonly number[],
): Promise<void> {
  await session.query('insert or replace into meta values ($1, $2)', [WRITTEN, String(at_ns)]);
  if (!ran) return;
  const ranRecord: Ran = { boot: ran.boot, for_ns: String(ran.for_ns), theirs: [...theirs] };
  await session.query('insert or replace into meta values ($1, $2)', [RAN, JSON.stringify(ranRecord)]);
}

/**
 * Makes what the sources of a capture need to be found as fast as any; does nothing where no capture was left unfinished.
 *
 * @param end `killed`: the capture was not ended, so there is a gap before the next one
 * @param read the links that records state in their own attributes
 */
export async function finishCapture(session: Session, end: 'ended' | 'killed', read: ReadPlaces): Promise<void> {
  const [left] = rowsOf<{ value: string }>(await session.query('select value from meta where key = $1', [UNFINISHED]));
  if (!left) return;
  await session.execute('begin transaction');
  try {
    const ids = noteOf(idsSchema, left.value) ?? [];
    const last_ns = await lastWritten(session, ids);
    for (const id of ids) await finishSource(session, id, last_ns);
    await addStatedPlaces(session, ids, read);
    await addCalledServices(session, await spansOf(session, ids), await Identities.load(session));
    const [ran] = rowsOf<{ value: string }>(await session.query('select value from meta where key = $1', [RAN]));
    await session.query('delete from meta where key in ($1, $2, $3)', [UNFINISHED, WRITTEN, RAN]);
    if (end === 'killed' && last_ns !== null) {
      const killed: Killed = { ids, at_ns: String(last_ns), ran: noteOf(ranSchema, ran?.value) };
      await session.query('insert or replace into meta values ($1, $2)', [KILLED, JSON.stringify(killed)]);
    }
    await outdateDerivedEvents(session);
    await resolveEntities(session);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

const spansOf = async (session: Session, ids: readonly number[]): Promise<{ id: number; spans: number }[]> =>
  rowsOf(
    await session.query(
      `select source_id as id, sum(spans)::integer as spans from span_count
       where source_id in (select unnest(string_split($1, ','))::integer) group by source_id`,
      [ids.join() || '-1'],
    ),
  );

/** When this capture wrote last, by the case's clock; of one that an older Faultline recorded, its last row. */
async function lastWritten(session: Session, ids: readonly number[]): Promise<bigint | null> {
  if (ids.length === 0) return null;
  const [row] = rowsOf<{ at: bigint | null }>(
    await session.query(
      `select coalesce((select try_cast(value as bigint) from meta where key = $1), max(last_ns + clock_offset_ns)) as at from source
       where source_id in (select unnest(string_split($2, ','))::integer)`,
      [WRITTEN, ids.join()],
    ),
  );
  return row?.at ?? null;
}

/** Less is what a clock that is kept right is corrected by. */
const STEP_NS = 1_000_000_000n;

/**
 * From what a capture that was killed wrote last until the next one begins, its feeds have an outage. Where this machine's
 * clock was set back meanwhile, what it stamped before lies on the clock that it has now, as in a capture that goes on.
 *
 * @returns whether times of rows changed
 */
export async function endKilledCapture(session: Session, now: bigint, runs: Running | null): Promise<boolean> {
  const [left] = rowsOf<{ value: string }>(await session.query('select value from meta where key = $1', [KILLED]));
  if (!left) return false;
  const killed = noteOf(killedSchema, left.value);
  await session.query('delete from meta where key = $1', [KILLED]);
  if (!killed) return false;
  const back_ns = setBackSince(killed, now, runs);
  if (back_ns > 0n) await outdateDerivedEvents(session);
  for (const id of killed.ids) {
    if (back_ns > 0n) await setBack(session, id, back_ns, killed.ran?.theirs.includes(id) === true);
    await session.query(
      `insert into outage select source_id, $2 - clock_offset_ns, greatest($2, $3) - clock_offset_ns, $4
       from source where source_id = $1`,
      [id, BigInt(killed.at_ns) - back_ns, now, KILLED_REASON],
    );
  }
  return back_ns > 0n;
}

/** Known only as long as the machine has not been started anew. */
function setBackSince({ at_ns, ran }: Killed, now: bigint, runs: Running | null): bigint {
  if (!ran || !runs || runs.boot === '' || runs.boot !== ran.boot) return 0n;
  const back_ns = BigInt(at_ns) + runs.for_ns - BigInt(ran.for_ns) - now;
  return back_ns > STEP_NS ? back_ns : 0n;
}

/** Outages are on this machine's clock, rows by the one that stamped them. */
async function setBack(session: Session, id: number, by_ns: bigint, isTheirs: boolean): Promise<void> {
  const remark = `this machine's clock was set back by ${lengthText(by_ns)} before the next capture began: ${isTheirs ? 'timestamps of its records are unchanged' : 'earlier records were moved to the new clock'}`;
  if (isTheirs)
    await session.query('update outage set from_ns = from_ns - $2, until_ns = until_ns - $2 where source_id = $1', [
      id,
      by_ns,
    ]);
  const [source] = rowsOf<{ remarks: string }>(
    await session.query('select remarks from source where source_id = $1', [id]),
  );
  const remarks = [...(JSON.parse(source?.remarks ?? '[]') as string[]), remark];
  await session.query('update source set clock_offset_ns = clock_offset_ns - $2, remarks = $3 where source_id = $1', [
    id,
    isTheirs ? 0n : by_ns,
    JSON.stringify(remarks),
  ]);
}

async function finishSource(session: Session, id: number, written_ns: bigint | null): Promise<void> {
  const [row] = rowsOf<{ rows: string; first: bigint | null; last: bigint | null; remarks: string }>(
    await session.query('select rows, first_ns as first, last_ns as last, remarks from source where source_id = $1', [
      id,
    ]),
  );
  if (!row) return;
  // Of a capture that was killed: what lasted then ended, as far as is known, with what was written last.
  await session.query(
    `update outage set until_ns = greatest(from_ns, $2 - (select clock_offset_ns from source where source_id = $1))
     where source_id = $1 and until_ns is null`,
    [id, written_ns ?? 0n],
  );
  const counts = JSON.parse(row.rows) as Partial<Record<TableName, number>>;
  const once = await storeSpansOnce(session, { sourceId: id, counts, first: row.first, last: row.last });
  const backward = await backwardSpans(session, id, once.counts.span ?? 0);
  const remarks = [...(JSON.parse(row.remarks) as string[]), ...once.remarks, ...backward];
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
