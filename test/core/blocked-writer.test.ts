import { expect, onTestFinished, test } from 'vitest';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { nanos } from '../../src/model/time.ts';

const BEGAN = 1_767_225_600_000_000_000n;

/** Samples of three servers, one of which has not been seen before. */
function poll(second: number): RowBatch {
  const builder = new BatchBuilder();
  for (const name of ['node-1', 'node-2', `node-${second + 10}`]) {
    const entity = builder.entity('server', name);
    const time_ns = nanos(BEGAN + BigInt(second) * 1_000_000_000n);
    appendSample(builder, { entity, metric: 'hw.power', time_ns, value: second });
  }
  return builder.finish(0);
}

const steps = ['insert', 'append', 'commit'] as const;

/** A writer into a case on a disk that is full for the steps of `isFull`. */
async function writerOn(isFull: (step: (typeof steps)[number]) => boolean) {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'live');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  const fails = (step: (typeof steps)[number]) => {
    if (isFull(step)) throw new ProblemError({ code: 'disk.full', message: 'there is no space left' });
  };
  const small: Session = {
    ...session,
    query: async (sql, values, signal) => {
      if (sql.startsWith('insert')) fails('insert');
      return session.query(sql, values, signal);
    },
    append: async (...rows) => {
      fails('append');
      await session.append(...rows);
    },
    execute: async (script) => {
      if (script === 'commit') fails('commit');
      await session.execute(script);
    },
  };
  const writer = await LiveWriter.begin(small, await liveDeriver(session), { now: () => BEGAN });
  const clock = { clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const feed = writer.add({ name: 'pdu', format: 'snmp-live', imported_at_ns: BEGAN, ...clock });
  const stored = async () =>
    rowsOf<{ seconds: string; series: number; points: number }>(
      await session.query(
        `select string_agg(distinct value::integer::varchar, ' ' order by value::integer::varchar) as seconds, count(distinct series)::integer as series, count(*)::integer as points from point`,
      ),
    )[0];
  return { writer, feed, stored, session };
}

test.each(steps)(
  'what a full disk kept from being written (%s) is held, and written once when there is room',
  async (step) => {
    let full = false;
    const { writer, feed, stored, session } = await writerOn((one) => full && one === step);
    writer.append(feed, poll(1));
    await writer.flush();
    full = true;
    writer.append(feed, poll(2));
    expect(await writer.flush()).toBe('full');
    expect([writer.isBlocked, writer.unwrittenOf(feed)]).toEqual([true, 3]);
    writer.append(feed, poll(3));
    writer.remark(feed, 'remark while full');
    expect(await writer.flush()).toBe('full');
    expect(writer.unwrittenOf(feed)).toBe(6);
    // Nothing of it is there by halves.
    expect(await stored()).toEqual({ seconds: '1', series: 3, points: 3 });
    full = false;
    expect(await writer.flush()).toMatchObject({ newEntities: true });
    await writer.flush();
    expect(await stored()).toEqual({ seconds: '1 2 3', series: 5, points: 9 });
    expect([writer.isBlocked, writer.unwrittenOf(feed)]).toEqual([false, 0]);
    const names = await session.query(`select string_agg(id, ' ' order by id) as ids from entity`);
    expect(names.columns[0]).toEqual(['node-1 node-11 node-12 node-13 node-2']);
    const [source] = rowsOf<{ rows: string; remarks: string }>(await session.query('select rows, remarks from source'));
    expect(source).toEqual({ rows: '{"point":9}', remarks: '["remark while full"]' });
  },
);

test('an abandoned write has a reason, and keeps written rows', async () => {
  let full = false;
  const { writer, feed, stored } = await writerOn(() => full);
  writer.append(feed, poll(1));
  await writer.flush();
  full = true;
  writer.append(feed, poll(2));
  expect(await writer.flush()).toBe('full');
  await expect(writer.giveUp()).rejects.toMatchObject({ problem: { code: 'disk.full' } });
  expect(await stored()).toEqual({ seconds: '1', series: 3, points: 3 });
});
