import { readAttributes } from '../../../model/rows/records.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { detailsText, type ReadDetails } from '../../../model/telemetry/event-details.ts';
import { listText } from '../list-text.ts';
import { rowsOf } from './case-file.ts';

/** Put there by the upgrade from schema 6. */
const UNREAD = 'event_details_unread';
const AT_ONCE = 5000;

interface OlderEvent {
  readonly event_id: number;
  readonly type: string;
  readonly message: string;
  readonly attributes: string;
}

/**
 * Parses the details of events of an older case once, as an import would today.
 * @returns whether there was any to read
 */
export async function readOlderDetails(session: Session, read: ReadDetails): Promise<boolean> {
  if ((await session.query('select 1 from meta where key = $1', [UNREAD])).count === 0) return false;
  await session.execute('begin transaction');
  try {
    for (let after = -1; ; ) {
      const events = rowsOf<OlderEvent>(
        await session.query(
          `select event_id, type.text as type, coalesce(message, '') as message, coalesce(attributes, '') as attributes
           from event join name type on type.name_id = event.type where event_id > $1 order by event_id limit ${AT_ONCE}`,
          [after],
        ),
      );
      await write(session, events, read);
      if (events.length < AT_ONCE) break;
      after = events.at(-1)?.event_id ?? after;
    }
    await session.query('delete from meta where key = $1', [UNREAD]);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
  return true;
}

async function write(session: Session, events: readonly OlderEvent[], read: ReadDetails): Promise<void> {
  const known = events.flatMap(({ event_id, type, message, attributes }) => {
    const details = detailsText(read({ type, message, attributes: readAttributes(attributes) }));
    return details === '' ? [] : [{ event_id, details }];
  });
  if (known.length === 0) return;
  await session.query(
    `update event set details = found.details
     from (select unnest($1::integer[]) as event_id, unnest($2::varchar[]) as details) found
     where event.event_id = found.event_id`,
    [listText(known.map(({ event_id }) => event_id)), listText(known.map(({ details }) => details))],
  );
}
