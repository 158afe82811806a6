import { expect } from 'vitest';
import { deriveAll } from '../../src/core/analysis/derive/derive-all.ts';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';

/** Time of the first poll, and the distance of polls. */
export const START_NS = 1_767_225_600_000_000_000n;
export const STEP_NS = 10_000_000_000n;
/** Polls that come at once, before the others come one by one. */
const USUAL = 18;

const SQL = `select e.time_ns, t.text as type, n.id from event e join name t on t.name_id = e.type join entity n on n.entity_id = e.entity
  join name o on o.name_id = e.origin where o.text = 'derived'`;

/**
 * The derived events of a capture that brings one poll after the other, as `id type poll`; compared with those of the case at rest.
 *
 * @param batchOf rows of the polls `from` to `to`, exclusive
 */
export async function derivedLive(polls: number, batchOf: (from: number, to: number) => RowBatch): Promise<string[]> {
  const engine = await openNativeEngine(':memory:');
  const session: Session = await engine.session();
  try {
    await prepareCase(engine, 'test');
    const writer = await LiveWriter.begin(session, await liveDeriver(session));
    const feed = writer.add({
      name: 'test',
      format: 'test-live',
      imported_at_ns: START_NS,
      clock_offset_ns: 0n,
      clock_uncertainty_ns: 0n,
    });
    for (let at = 0; at < polls; at = at === 0 ? USUAL : at + 1) {
      writer.append(feed, batchOf(at, at === 0 ? USUAL : at + 1));
      await writer.flush();
    }
    const live = rowsOf<{ time_ns: bigint; type: string; id: string }>(await session.query(SQL));
    const atRest = (await deriveAll(createReader(session))).map(({ type, time_ns }) => `${type} ${time_ns}`).sort();
    expect(live.map(({ type, time_ns }) => `${type} ${time_ns}`).sort()).toEqual(atRest);
    return live.map(({ time_ns, type, id }) => `${id} ${type} ${(time_ns - START_NS) / STEP_NS}`).sort();
  } finally {
    session.close();
    await engine.close();
  }
}
