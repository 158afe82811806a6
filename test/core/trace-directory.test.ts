import { expect, test } from 'vitest';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { writeSpanDirectory } from '../../src/core/store/writer/span-directory.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

interface Span {
  readonly trace: readonly [bigint, bigint];
  readonly id: bigint;
  readonly start_ns: bigint;
}

const SECOND = 1_000_000_000n;
const START = 1_767_225_600n * SECOND;

/** Deterministic numbers (mulberry32). */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

const random64 = (roll: (limit: number) => number): bigint => (BigInt(roll(2 ** 32)) << 32n) | BigInt(roll(2 ** 32));

/** Traces of 1 to 8 spans, one of them over hours; ids with a zero half, and two that share the 36 bits of a key. */
function someSpans(seed: number, traces: number): Span[] {
  const roll = dice(seed);
  const ids: (readonly [bigint, bigint])[] = Array.from({ length: traces }, () => [random64(roll), random64(roll)]);
  ids.push([0n, 0x1234n], [0x1234n, 0n], [0n, 2n ** 64n - 1n], [5n << 40n, 0x77n], [9n << 40n, 0x77n]);
  return ids.flatMap((trace, i) =>
    Array.from({ length: 1 + roll(8) }, (_, step) => ({
      trace,
      id: random64(roll) | 1n,
      start_ns: START + BigInt(roll(3600 * 1000)) * 1_000_000n + BigInt(step * (i % 50 === 0 ? 4000 : 1)) * SECOND,
    })),
  );
}

function shuffled<T>(rows: readonly T[], seed: number): T[] {
  const roll = dice(seed);
  return rows
    .map((row) => [roll(2 ** 30), row] as const)
    .sort(([a], [b]) => a - b)
    .map(([, row]) => row);
}

async function addSource(session: Session, spans: readonly Span[], clock_offset_ns = 0n): Promise<void> {
  const known = { name: `f${spans.length}`, format: 'test', imported_at_ns: 1n, clock_uncertainty_ns: 0n };
  const writer = await SourceWriter.begin(session, { ...known, clock_offset_ns });
  for (let from = 0; from < spans.length; from += 3000) {
    const builder = new BatchBuilder();
    for (const { trace, id, start_ns } of spans.slice(from, from + 3000))
      builder.table('span').push({
        trace_hi: trace[0],
        trace_lo: trace[1],
        span_id: id,
        parent_id: 0n,
        start_ns,
        end_ns: start_ns + 5n,
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
    await writer.append(builder.finish(0));
  }
  await writer.commit({ digest: String(Math.random()), bytes: 1 });
}

async function withCase(work: (session: Session, folder: string) => Promise<void>): Promise<void> {
  const folder = `${await temporaryFolder()}/t.faultline`;
  const { engine } = await openCaseFolder(folder, { create: true });
  await prepareCase(engine, 'traces');
  const session = await engine.session();
  try {
    await work(session, folder);
  } finally {
    session.close();
    await engine.close();
  }
}

const hex = ([high, low]: readonly [bigint, bigint]): string =>
  high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');

/** What the directory finds of every trace, and what reading everything finds. */
async function expectSameAsScan(session: Session, spans: readonly Span[]): Promise<void> {
  const allSpans = await session.query('select trace_id, span_id, start_ns from spans');
  const scanned = Map.groupBy(
    rowsOf<{ trace_id: string; span_id: string; start_ns: bigint }>(allSpans),
    (row) => row.trace_id,
  );
  expect(allSpans.count).toBeGreaterThan(0);
  for (const id of new Set(spans.map(({ trace }) => hex(trace)))) {
    const found = await session.query('select trace_id, span_id, start_ns from trace($1)', [id]);
    const order = (a: { span_id: string }, b: { span_id: string }) => (a.span_id < b.span_id ? -1 : 1);
    expect(rowsOf<{ span_id: string }>(found).sort(order)).toEqual([...(scanned.get(id) ?? [])].sort(order));
    expect(found.count).toBeGreaterThan(0);
  }
}

test('the directory finds what a scan finds: in order of time, in none, in several files with clocks of their own', () =>
  withCase(async (session) => {
    const spans = someSpans(1, 120);
    const byTime = spans.toSorted((a, b) => (a.start_ns < b.start_ns ? -1 : 1));
    await addSource(
      session,
      byTime.filter((_, i) => i % 3 === 0),
    );
    await addSource(
      session,
      shuffled(
        byTime.filter((_, i) => i % 3 === 1),
        2,
      ),
      17n * SECOND,
    );
    await addSource(
      session,
      byTime.filter((_, i) => i % 3 === 2),
      -7200n * SECOND,
    );
    await expectSameAsScan(session, spans);
  }));

test('times at the ends of the range, before 1970 and missing', () =>
  withCase(async (session) => {
    const times = [0n, -1n, 1n, -(2n ** 34n), 2n ** 34n - 1n, 2n ** 34n, -(2n ** 63n), 2n ** 63n - 6n];
    const spans = times.map((start_ns, i): Span => ({ trace: [7n, BigInt(i)], id: BigInt(i + 1), start_ns }));
    const both = spans.concat(times.map((start_ns, i): Span => ({ trace: [8n, 8n], id: BigInt(i + 100), start_ns })));
    await session.execute("insert into source values (9, 'x', 'test', '', 0, 0, 0, 0, 0, 0, '{}', 0, '[]')");
    for (const { trace, id, start_ns } of both)
      await session.query(
        'insert into span values (9, $1, $2, $3, 0, $4, $4, null, null, null, null, 1, 0, 0, null, null, null, 0)',
        [trace[0], trace[1], id, start_ns],
      );
    await writeSpanDirectory(session, 9);
    for (const [i] of times.entries()) {
      const found = await session.query('select start_ns from trace($1)', [hex([7n, BigInt(i)])]);
      expect(found.columns[0]).toEqual([times[i]]);
    }
    expect((await session.query("select count(*) from trace('80000000000000008')")).columns[0]).toEqual([8n]);
  }));

test('the overview of the whole case counts every span once, from counts and one by one', async () => {
  let path = '';
  const spans = someSpans(5, 200);
  await withCase(async (session, folder) => {
    path = folder;
    await addSource(session, spans.slice(0, 300), 3n * SECOND);
    await addSource(session, spans.slice(300), -40n * SECOND);
  });
  const { api } = await openTestCore(path);
  const info = await api['case.current']({});
  const window = { start_ns: info!.first_ns!, end_ns: info!.last_ns! };
  const wide = await api['timeline.overview']({ ...window, buckets: 100 });
  const total = (counts: Int32Array) => counts.reduce((sum, count) => sum + count, 0);
  expect(total(wide.spans)).toBe(spans.length);
  // Narrow buckets are counted one by one: their sums equal the wide ones, except for the slices at their ends.
  const narrow = await api['timeline.overview']({ ...window, buckets: 8000 });
  expect(total(narrow.spans)).toBe(spans.length);
  for (let i = 1; i < 100; i++) {
    const [counted, exact] = [wide.spans.subarray(0, i), narrow.spans.subarray(0, i * 80)];
    expect(Math.abs(total(counted) - total(exact))).toBeLessThanOrEqual(3);
  }
});

test('an id may be short, in capitals, or none at all', () =>
  withCase(async (session) => {
    await addSource(session, [{ trace: [0n, 0xabcdefn], id: 1n, start_ns: START }]);
    const count = async (id: string) => (await session.query('select span_id from trace($1)', [id])).count;
    expect(await count('abcdef')).toBe(1);
    expect(await count('0000000000ABCDEF')).toBe(1);
    expect(await count('00000000000000000000000000abcdef')).toBe(1);
    for (const id of [
      '',
      'abcde',
      'not hex',
      'zz',
      `1${'0'.repeat(25)}abcdef`,
      "'",
      '00000000000000000000000000abcdef0',
    ])
      expect([id, await count(id)]).toEqual([id, 0]);
  }));

test('an import that is rolled back leaves no places', () =>
  withCase(async (session) => {
    await addSource(session, [{ trace: [1n, 2n], id: 1n, start_ns: START }]);
    await expect(addSource(session, [{ trace: [1n, 2n], id: 2n, start_ns: 2n ** 62n }], 2n ** 62n)).rejects.toThrow();
    await session.execute('rollback');
    const places = await session.query('select source_id from trace_place');
    expect(places.columns[0]).toEqual([1]);
  }));

test('a case of schema 2 gets its directory when it is opened, and goes on from there', async () => {
  const spans = someSpans(3, 60);
  let path = '';
  await withCase(async (session, folder) => {
    path = folder;
    await addSource(session, spans);
    await session.execute(
      "drop macro table trace; drop macro trace_hi_of; drop macro trace_lo_of; drop table trace_place; drop table span_count; drop view annotations; drop table annotation; drop view outages; drop table outage; drop table series_extent; drop table point_range; alter table source rename column digest to sha256; update meta set value = '2' where key = 'schema_version'",
    );
  });
  const core = await openTestCore(path);
  const trace = await core.api['trace.get']({ trace_id: hex(spans[0]?.trace as [bigint, bigint]) });
  expect(trace.span_id.length).toBe(spans.filter((span) => span.trace === spans[0]?.trace).length);
  await core.close();
  const { engine } = await openCaseFolder(path, { create: false });
  const session = await engine.session();
  await addSource(session, spans.slice(0, 20));
  await expectSameAsScan(session, spans);
  session.close();
  await engine.close();
});

test('a trace comes as columns, ascending, cut at the limit; one that is not there is empty', async () => {
  let path = '';
  const spans = [3n, 1n, 2n].map((second) => ({
    trace: [1n, 2n] as const,
    id: second,
    start_ns: START + second * SECOND,
  }));
  await withCase(async (session, folder) => {
    path = folder;
    await addSource(session, spans, 60n * SECOND);
  });
  const { api } = await openTestCore(path);
  const trace = await api['trace.get']({ trace_id: '00000000000000010000000000000002' });
  expect(trace).toMatchObject({
    span_id: ['0000000000000001', '0000000000000002', '0000000000000003'],
    parent_span_id: [null, null, null],
    service: ['api', 'api', 'api'],
    kind: ['server', 'server', 'server'],
    start_ns: START + 61n * SECOND,
    truncated: false,
  });
  expect([...trace.offset_s]).toEqual([0, 1, 2]);
  const cut = await api['trace.get']({ trace_id: '00000000000000010000000000000002', limit: 2 });
  expect([cut.span_id.length, cut.offset_s.length, cut.truncated]).toEqual([2, 2, true]);
  expect(await api['trace.get']({ trace_id: '99' })).toMatchObject({ span_id: [], start_ns: null, truncated: false });
});
