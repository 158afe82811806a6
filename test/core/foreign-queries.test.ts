import { expect, test } from 'vitest';
import { openTestCore, type TestCore } from '../support/core.ts';
import { drawnOtlp, MAINTENANCE } from '../support/trace-group-otlp.ts';

const sql = 'select start_utc, duration_ms as n from spans';
const query = { kind: 'query' as const, id: 'q1', text: 'mine', at_ns: null, until_ns: null, made_at_ns: 1n, sql };
const lane = { time: 'start_utc', value: 'n', unit: 'ms' };

const unread = (core: TestCore) => core.api['query.sql']({ sql, unread: true });

/** What the lane of the saved query shows. */
async function drawn({ api }: TestCore) {
  const { first_ns, last_ns } = (await api['case.current']({})) as { first_ns: bigint; last_ns: bigint };
  const found = (await api['timeline.lanes']({ concluded: false })).find(({ layer }) => layer === 'queries');
  const [data] = await api['timeline.data']({
    lanes: [found?.id ?? ''],
    start_ns: first_ns,
    end_ns: last_ns,
    buckets: 5,
  });
  return data?.kind === 'broken' ? data.message : data?.kind;
}

async function saved(): Promise<TestCore> {
  const core = await openTestCore();
  await core.importJson(drawnOtlp(MAINTENANCE, {}));
  await core.api['annotations.change']({ put: [{ ...query, lane }] });
  return core;
}

test('a lane that was saved here is drawn, and its query runs by a click', async () => {
  const core = await saved();
  expect(await drawn(core)).toBe('metric');
  expect((await unread(core)).rows.length).toBeGreaterThan(0);
});

test('the queries of a case from elsewhere are run when somebody has read them, not by opening the case', async () => {
  const { path, close } = await saved();
  await close();
  const core = await openTestCore(path);
  expect(await drawn(core)).toMatch(/never run on this machine/);
  await expect(unread(core)).rejects.toMatchObject({ problem: { code: 'sql.from_elsewhere' } });
  // Renaming does not make the SQL trusted.
  await core.api['annotations.change']({ put: [{ ...query, text: 'another name', lane }] });
  expect(await drawn(core)).toMatch(/never run on this machine/);
  await core.api['query.sql']({ sql });
  expect(await drawn(core)).toBe('metric');
  expect((await unread(core)).rows.length).toBeGreaterThan(0);
});
