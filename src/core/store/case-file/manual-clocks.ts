import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { outdateDerivedEvents } from '../writer/derived-events.ts';
import { rowsOf } from './case-file.ts';

/** Key prefix of the clock of a data source before the investigator set it. */
const BEFORE = 'clock_before:';
const toNanos = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9));

/**
 * Sets the clocks of data sources to the last manual offset, and resets those without one to the imported clock. Recorded times
 * stay as they are. Runs in the transaction that changes the annotations.
 * @param clocks in the order of their annotations
 */
export async function applyManualClocks(session: Session, clocks: readonly AnnotationOf<'clock'>[]): Promise<void> {
  const last = new Map(clocks.map((clock) => [clock.source, clock]));
  for (const { source, seconds, uncertainty_s } of last.values()) {
    await session.query(
      `insert into meta
         select $1 || source_id, clock_offset_ns || ' ' || clock_uncertainty_ns from source where source_id = $2
       on conflict do nothing`,
      [BEFORE, source],
    );
    await set(session, source, [toNanos(seconds), toNanos(uncertainty_s)]);
  }
  const originals = rowsOf<{ key: string; value: string }>(
    await session.query('select key, value from meta where starts_with(key, $1)', [BEFORE]),
  );
  for (const { key, value } of originals) {
    const source = Number(key.slice(BEFORE.length));
    if (last.has(source)) continue;
    const [offset = '0', uncertainty = '0'] = value.split(' ');
    await set(session, source, [BigInt(offset), BigInt(uncertainty)]);
    await session.query('delete from meta where key = $1', [key]);
  }
}

/** Derived events must be derived again, because samples have another order now. */
async function set(session: Session, source: number, clock: readonly [bigint, bigint]): Promise<void> {
  const changed = await session.query(
    `update source set clock_offset_ns = $2, clock_uncertainty_ns = $3
       where source_id = $1 and (clock_offset_ns <> $2 or clock_uncertainty_ns <> $3)
       returning source_id`,
    [source, ...clock],
  );
  if (changed.count > 0) await outdateDerivedEvents(session);
}
