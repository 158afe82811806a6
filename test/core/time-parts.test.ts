import { expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { BatchTimes } from '../../src/core/store/copies/time-parts.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { writePointRanges } from '../../src/core/store/writer/point-ranges.ts';
import { writeSpanDirectory } from '../../src/core/store/writer/span-directory.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { temporaryFolder } from '../support/core.ts';

const SECOND = 1_000_000_000n;
const directories = ['trace_place', 'span_count', 'series_extent', 'point_range'] as const;

/** 12 batches of spans and points from `from` on, not all in order, with a row long before all others. */
async function append(writer: SourceWriter, from: bigint): Promise<void> {
  for (const [place, step] of [0, 1, 2, 4, 3, 5, 6, 7, 9, 8, 10, 11].entries()) {
    const builder = new BatchBuilder();
    const host = builder.entity('server', 'node-1');
    const series = ['hw.power', 'hw.temperature'].map((name) =>
      builder.series({
        metric: name,
        unit: '',
        kind: 'gauge',
        monotonic: false,
        entity: host,
        resource: -1,
        attributes: '',
        description: '',
        temporality: 0,
      }),
    );
    for (let i = 0; i < 300; i++) {
      const at = place === 5 && i === 7 ? -SECOND : from + BigInt(step * 300 + i) * (SECOND / 40n);
      const id = BigInt(place * 1000 + i);
      builder.table('span').push({
        trace_hi: BigInt(i % 40) + 1n,
        trace_lo: 7n,
        span_id: id + 1n,
        parent_id: 0n,
        start_ns: at,
        end_ns: at + 5n,
        name: builder.name('op'),
        service: builder.entity('service', 'api'),
        resource: -1,
        scope: -1,
        kind: 2,
        status: 0,
        flags: 1,
        trace_state: '',
        status_message: '',
        attributes: '',
        dropped: 0,
      });
      builder.table('point').push({
        series: series[i % 2]!,
        start_ns: 0n,
        time_ns: at,
        value: i === 50 ? Number.NaN : i,
      });
    }
    await writer.append(builder.finish(0));
  }
}

async function directory(session: Session): Promise<unknown[]> {
  const all = directories.map((table) => session.query(`select * from ${table} order by all`));
  return (await Promise.all(all)).map(({ columns }) => columns);
}

for (const from of [1_767_225_600n * SECOND, -500n * SECOND]) {
  test(`what is found by time is the same in parts and as a whole, from ${from / SECOND} s on`, async () => {
    const { engine } = await openCaseFolder(`${await temporaryFolder()}/t.faultline`, { create: true });
    await prepareCase(engine, 'parts');
    const session = await engine.session();
    const writer = await SourceWriter.begin(session, {
      name: 'a',
      format: 'test',
      imported_at_ns: 0n,
      clock_offset_ns: 0n,
      clock_uncertainty_ns: 0n,
    });
    await append(writer, from);
    await writer.commit({ digest: 'd', bytes: 1 });
    const inParts = await directory(session);
    expect((inParts as unknown[][][]).every(([first]) => (first?.length ?? 0) > 0)).toBe(true);
    for (const table of directories) await session.execute(`delete from ${table}`);
    await writeSpanDirectory(session, writer.sourceId);
    await writePointRanges(session, writer.sourceId);
    expect(inParts).toEqual(await directory(session));
    session.close();
    await engine.close();
  });
}

test('every row is in one part, borders are multiples of the unit, and few batches are not cut', async () => {
  const { engine } = await openCaseFolder(`${await temporaryFolder()}/t.faultline`, { create: true });
  const session = await engine.session();
  const times = new BatchTimes();
  const firsts = [-700n, -650n, -3n, 0n, 10n, 900n, 64n, 2n ** 62n, -(2n ** 63n)];
  for (const [i, first] of firsts.entries()) {
    expect(times.cut('point', 64n).length > 1).toBe(i >= 4);
    times.note('point', first);
    times.note('log', first);
  }
  const parts = times.cut('point', 64n);
  expect(parts.length).toBeGreaterThan(2);
  for (const border of parts.join().matchAll(/-?\d+/g)) expect(Number(BigInt(border[0]) % 64n)).toBe(0);
  for (const at of [...firsts, -704n, -705n, -1n, 63n, 64n, 2n ** 63n - 1n]) {
    const sql = parts.map((part) => `(${part})::integer`).join(' + ');
    const { columns } = await session.query(`select ${sql} from (select $1::bigint as time_ns)`, [at]);
    expect([at, columns[0]?.[0]]).toEqual([at, 1]);
  }
  session.close();
  await engine.close();
});
