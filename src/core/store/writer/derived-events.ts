import { severities } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { detailsText } from '../../../model/telemetry/event-details.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { Identities, textColumn } from './identities.ts';
import { nextNumbers } from './next-numbers.ts';

/** The origin of derived events. */
export const DERIVED_ORIGIN = 'derived';

/**
 * Marks the derived events as outdated after a change of rows. Must be called in the transaction of the change: if the process is
 * killed before {@link replaceDerivedEvents}, the next opening of the case derives them.
 */
export async function outdateDerivedEvents(session: Session): Promise<void> {
  // An insert that minds conflicts takes twice as long to prepare as both statements together.
  if (!(await areDerivedEventsOutdated(session))) await session.query(`insert into meta values ('${OUTDATED}', 'yes')`);
}

export const areDerivedEventsOutdated = async (session: Session): Promise<boolean> =>
  (await session.query('select 1 from meta where key = $1', [OUTDATED])).count > 0;

const OUTDATED = 'derived_events_outdated';

/**
 * Makes the derived events of the case exactly these, in one transaction. One that was there before keeps its number,
 * because notes and evidence refer to it; outdated ones are removed.
 */
export async function replaceDerivedEvents(session: Session, rows: readonly DerivedEvent[]): Promise<void> {
  await session.execute('begin transaction');
  try {
    // Without rows nothing is named or numbered.
    const next = rows.length === 0 ? null : await nextNumbers(session);
    const identities = next === null ? new Identities() : await Identities.load(session, next);
    await writeDerivedEvents(session, rows, { identities, next: next?.event ?? 0 });
    await session.query('delete from meta where key = $1', [OUTDATED]);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

interface Known {
  readonly event_id: number;
  readonly original_id: string;
  readonly time_ns: bigint;
  readonly message: string;
  readonly attributes: string;
  readonly details: string;
}

interface Written {
  /** The number that the next event is to have. */
  readonly next: number;
  /** Times of all events that were not there, or are no more. */
  readonly changed_ns: readonly bigint[];
  /** New ones of high or critical severity. */
  readonly alarms: number;
}

/**
 * The same within the caller's transaction, with the numbers that it gives.
 *
 */
export async function writeDerivedEvents(
  session: Session,
  rows: readonly DerivedEvent[],
  { identities, next }: { readonly identities: Identities; readonly next: number },
): Promise<Written> {
  const known = rowsOf<Known>(
    await session.query(
      `select event_id, original_id, time_ns, message, attributes, coalesce(details, '') as details from event e join name n on n.name_id = e.origin
       where n.text = $1`,
      [DERIVED_ORIGIN],
    ),
  );
  const wanted = new Map(rows.map((row) => [row.id, row]));
  const numbers = new Map(known.map(({ original_id, event_id }) => [original_id, event_id]));
  const outdated = known.filter((old) => !isStill(old, wanted.get(old.original_id)));
  if (outdated.length > 0)
    await session.query('delete from event where event_id in (select unnest(string_split($1, $2))::integer)', [
      outdated.map(({ event_id }) => event_id).join(),
      ',',
    ]);
  const rewritten = new Set(outdated.map(({ original_id }) => original_id));
  const fresh = [...wanted.values()].filter(({ id }) => rewritten.has(id) || !numbers.has(id));
  let number = next;
  const numbered = fresh.map((row) => ({ ...row, event_id: numbers.get(row.id) ?? number++ }));
  await append(session, numbered, identities);
  const alarms = fresh.filter(
    ({ id, severity }) => !numbers.has(id) && (severity === 'critical' || severity === 'high'),
  );
  const changed_ns = [...outdated, ...fresh].map(({ time_ns }) => time_ns);
  return { next: number, changed_ns, alarms: alarms.length };
}

const isStill = (old: Known, row: DerivedEvent | undefined): boolean =>
  row !== undefined &&
  row.message === old.message &&
  JSON.stringify(row.attributes) === old.attributes &&
  detailsText(row.details) === old.details;

interface NumberedEvent extends DerivedEvent {
  readonly event_id: number;
}

async function append(session: Session, rows: readonly NumberedEvent[], identities: Identities): Promise<void> {
  if (rows.length === 0) return;
  const codes = (texts: readonly string[]) => ({
    type: 'code' as const,
    values: Int32Array.from(texts, (text) => identities.name(text)),
  });
  const types = codes(rows.map(({ type }) => type));
  const origins = codes(rows.map(() => DERIVED_ORIGIN));
  await identities.flush(session, rows[0]!.source_id);
  await session.append(
    'event',
    [
      { type: 'i32', values: Int32Array.from(rows, ({ event_id }) => event_id) },
      { type: 'i32', values: Int32Array.from(rows, ({ source_id }) => source_id) },
      textColumn(rows.map(({ id }) => id)),
      { type: 'i64', values: BigInt64Array.from(rows, ({ time_ns }) => time_ns) },
      { type: 'code', values: Int32Array.from(rows, ({ entity }) => entity) },
      origins,
      types,
      { type: 'u8', values: Uint8Array.from(rows, ({ severity }) => severities.indexOf(severity)) },
      textColumn(rows.map(({ message }) => message)),
      textColumn(rows.map(({ attributes }) => JSON.stringify(attributes))),
      textColumn(rows.map(() => '')),
      textColumn(rows.map(({ details }) => detailsText(details))),
    ],
    rows.length,
  );
}
