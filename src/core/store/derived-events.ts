import type { DerivedEvent } from '../../model/derived-event.ts';
import type { Session } from '../../model/engine.ts';
import { severities } from '../../model/entity.ts';
import { rowsOf } from './case-file.ts';
import { Identities, textColumn } from './identities.ts';

/** The origin of events that samples show and nobody recorded. */
export const DERIVED_ORIGIN = 'derived';

/**
 * Says that rows have changed and the derived events do not know it yet. To be called in the transaction that changes
 * them: a process killed before {@link replaceDerivedEvents} leaves this for whoever opens the case next.
 */
export async function outdateDerivedEvents(session: Session): Promise<void> {
  await session.query('insert into meta values ($1, $2) on conflict do nothing', [OUTDATED, 'yes']);
}

export const areDerivedEventsOutdated = async (session: Session): Promise<boolean> =>
  (await session.query('select 1 from meta where key = $1', [OUTDATED])).count > 0;

const OUTDATED = 'derived_events_outdated';

/**
 * Makes the derived events of the case exactly these, in one transaction. One that was there before keeps its number,
 * because notes and evidence refer to it; one that no sample shows any more goes.
 */
export async function replaceDerivedEvents(session: Session, rows: readonly DerivedEvent[]): Promise<void> {
  await session.execute('begin transaction');
  try {
    const known = rowsOf<{ original_id: string }>(
      await session.query(
        'select e.original_id from event e join name n on n.name_id = e.origin where n.text = $1 order by event_id',
        [DERIVED_ORIGIN],
      ),
    );
    const wanted = new Set(rows.map(({ id }) => id));
    const present = new Set(known.map(({ original_id }) => original_id));
    for (const gone of [...present].filter((id) => !wanted.has(id)))
      await session.query('delete from event where original_id = $1', [gone]);
    await append(
      session,
      rows.filter(({ id }) => !present.has(id)),
    );
    await session.query('delete from meta where key = $1', [OUTDATED]);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

async function append(session: Session, rows: readonly DerivedEvent[]): Promise<void> {
  if (rows.length === 0) return;
  const identities = await Identities.load(session);
  const next = await session.query('select (coalesce(max(event_id), 0) + 1)::integer from event');
  const first = next.columns[0]?.[0] as number;
  const codes = (texts: readonly string[]) => ({
    type: 'code' as const,
    values: Int32Array.from(texts, (text) => identities.name(text)),
  });
  const types = codes(rows.map(({ type }) => type));
  const origins = codes(rows.map(() => DERIVED_ORIGIN));
  await identities.flush(session, (rows[0] as DerivedEvent).source_id);
  await session.append(
    'event',
    [
      { type: 'i32', values: Int32Array.from(rows, (_, i) => first + i) },
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
    ],
    rows.length,
  );
}
