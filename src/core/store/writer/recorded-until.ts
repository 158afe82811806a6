import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';

/** Keys in meta, with the number of a source whose rows were dated later than the clock of the machine that recorded them. */
const KEY = 'recorded_until:';

/** When rows of a capture last came, by that machine's clock, which is the case's. */
export async function writeRecordedUntil(
  session: Session,
  sources: readonly number[],
  until_ns: bigint,
): Promise<void> {
  for (const source of sources)
    await session.query('insert or replace into meta values ($1, $2)', [`${KEY}${source}`, String(until_ns)]);
}

/** By source; those that dated nothing ahead are not there. */
export async function readRecordedUntil(session: Session): Promise<ReadonlyMap<number, bigint>> {
  const rows = rowsOf<{ key: string; value: string }>(
    await session.query('select key, value from meta where starts_with(key, $1)', [KEY]),
  );
  return new Map(rows.map(({ key, value }) => [Number(key.slice(KEY.length)), BigInt(value)]));
}
