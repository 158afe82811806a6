import { expect, test } from 'vitest';
import { memoryCore, type TestCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
const others = [
  event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  event('e3', 100, 'redfish', 'fan_failure', 'server-9'),
];

const state = async (core: TestCore) => {
  const { columns, rows } = await core.api['query.sql']({
    sql: `select kind || ':' || id as entity from entity union all select id from events union all
      select name from source order by all`,
  });
  expect(columns).toHaveLength(1);
  return {
    rows: rows.flat(),
    verdict: (await core.api['incidents.list']({})).map(({ incident }) =>
      incident.hypotheses.map(({ subject, probability }) => [subject, probability]),
    ),
  };
};

test('an import into a case is undone as a whole: rows, entities, derived events and verdict are as before', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [sag] }, { service_metrics: service('inference') }, topology);
  const before = await state(core);
  const known = new Set((await core.api['case.current']({}))!.sources.map(({ source_id }) => source_id));
  await core.importJson({ events: others });
  const during = await state(core);
  expect(during.rows).toContainEqual(expect.stringMatching(/:server-9$/));
  expect(during.verdict).not.toEqual(before.verdict);
  const added = (await core.api['case.current']({}))!.sources.filter(({ source_id }) => !known.has(source_id));
  await core.api['sources.remove']({ sources: added.map(({ source_id }) => source_id) });
  expect(await state(core)).toEqual(before);
});

test('what another source brought first and others use stays; a source that is not there is refused', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [sag] }, { service_metrics: service('inference') }, topology);
  const sources = (await core.api['case.current']({}))!.sources;
  const ofEvents = sources.find(({ rows }) => rows['event'])!;
  await core.api['sources.remove']({ sources: [ofEvents.source_id] });
  const { rows } = await state(core);
  expect(rows).toContain('pdu:PDU-B');
  expect(rows).not.toContain('e1');
  // Its bytes are no longer in the case, so they may come again.
  await core.importJson({ events: [sag] });
  expect((await state(core)).verdict.length).toBe(1);
  await expect(core.api['sources.remove']({ sources: [99] })).rejects.toMatchObject({
    problem: { code: 'source.unknown' },
  });
});

test('numbers of removed rows are never given again: what cites them finds nothing, and not another record', async () => {
  const core = await memoryCore();
  const source = async () =>
    Math.max(...(await core.api['case.current']({}))!.sources.map(({ source_id }) => source_id));
  const ids = async (column: string, table: string): Promise<number[]> =>
    (await core.api['query.sql']({ sql: `select ${column} from ${table} order by all` })).rows.map(([id]) =>
      Number(id),
    );
  await core.importJson({ service_metrics: service('inference') }, topology);
  await core.importJson({ events: others });
  const middle = await source();
  await core.importJson({ events: [sag] }, { service_metrics: service('search') });
  const before = { events: await ids('event_id', 'event'), series: await ids('series_id', 'series') };
  const last = await source();
  await core.api['sources.remove']({ sources: [middle, last] });
  const left = new Set([...(await ids('event_id', 'event')), ...(await ids('source_id', 'source'))]);
  await core.importJson({ events: [event('e9', 700, 'redfish', 'fan_failure', 'server-4')] });
  const newest = await source();
  expect(newest).toBeGreaterThan(last);
  const [highest] = (await ids('event_id', 'event')).slice(-1) as [number];
  await core.api['sources.remove']({ sources: [newest] });
  await core.importJson({ events: [event('e10', 800, 'redfish', 'fan_failure', 'server-5')] });
  expect((await ids('event_id', 'event')).at(-1)).toBeGreaterThan(highest);
  await core.importJson({ service_metrics: service('ranker') });
  expect(await source()).toBeGreaterThan(newest);
  const fresh = (await ids('event_id', 'event')).filter((id) => !left.has(id));
  expect(fresh.some((id) => before.events.includes(id))).toBe(false);
  for (const [id, table] of [
    ['entity_id', 'entity'],
    ['series_id', 'series'],
    ['resource_id', 'resource'],
  ] as const) {
    const all = await ids(id, table);
    expect(new Set(all).size, table).toBe(all.length);
  }
});
