import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/core/store/tables/index.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { openTestCore } from '../support/core.ts';
import { event } from '../support/scenario.ts';

const mapping = {
  mappings: [
    { physical_device_id: 'server-3', kubernetes_node: 'gke-node-3', cloud_instance_id: 'i-03', gpus: ['GPU-a'] },
  ],
};
const seen = {
  events: [
    event('e1', 1, 'redfish', 'psu_failover', 'server-3'),
    event('e2', 2, 'aws_health', 'host_degradation', 'i-03'),
  ],
};

async function machines(core: Awaited<ReturnType<typeof openTestCore>>): Promise<unknown[]> {
  const { rows } = await core.api['query.sql']({
    sql: "select distinct c.canonical_id from canonical c join entity e using (entity_id) where e.kind in ('server', 'instance', 'node', 'device')",
  });
  return rows;
}

test('merged names have a reason, can be separated and merged again', async () => {
  const core = await openTestCore();
  await core.importJson(mapping, seen);
  const { merged } = await core.api['names.list']({});
  const merge = merged.find(({ one, other }) => one.id === 'i-03' || other.id === 'i-03');
  expect(merge).toMatchObject({ reason: 'cloud_instance_id i-03' });
  expect(await machines(core)).toHaveLength(1);
  const pair = { one: merge?.one as never, other: merge?.other as never };
  await core.api['names.hold_apart'](pair);
  expect(await machines(core)).toHaveLength(2);
  expect((await core.api['names.list']({})).apart).toHaveLength(1);
  await core.api['names.hold_apart'](pair);
  expect((await core.api['names.list']({})).apart).toHaveLength(1);
  await core.api['names.rejoin']({ one: pair.other, other: pair.one });
  expect(await machines(core)).toHaveLength(1);
});

test('what is held apart stays so by way of a third name, and after another import', async () => {
  const core = await openTestCore();
  await core.importJson(mapping, seen);
  const [one, other] = [
    { kind: 'device', id: 'server-3' },
    { kind: 'instance', id: 'i-03' },
  ];
  const known = await core.api['query.sql']({ sql: "select kind, id from entity where id in ('server-3', 'i-03')" });
  const keyed = new Map(known.rows.map(([kind, id]) => [id as string, { kind: kind as string, id: id as string }]));
  await core.api['names.hold_apart']({ one: keyed.get('server-3') ?? one, other: keyed.get('i-03') ?? other });
  await core.importJson({
    mappings: [{ physical_device_id: 'third', cloud_instance_id: 'i-03', ip_address: 'server-3' }],
  });
  const groups = await core.api['query.sql']({
    sql: "select count(distinct canonical_id) from canonical join entity using (entity_id) where id in ('server-3', 'i-03')",
  });
  expect(Number(groups.rows[0]?.[0])).toBe(2);
});

test('a data source lists the entities that it introduced', async () => {
  const core = await openTestCore();
  const events = await core.importJson(mapping, seen);
  const [first, second] = core.sources(events);
  expect(first?.entities).toMatchObject({ gpu: 1 });
  expect(second?.entities).toMatchObject({ instance: 1 });
});

test('a case of the first schema opens, and keeps what it holds', async () => {
  const core = await openTestCore();
  await core.importJson(seen);
  await core.close();
  const stored = await openCaseFolder(core.path, { create: false });
  const session = await stored.engine.session();
  await session.execute(
    "drop table pulled; drop table trace_place; drop table span_count; drop view collectives; drop table collective; drop table merge; drop table held_apart; drop view annotations; drop table annotation; drop view outages; drop table outage; drop table series_extent; drop table point_range; alter table source rename column digest to sha256; alter table source drop column remarks; update meta set value = '1' where key = 'schema_version'",
  );
  session.close();
  await stored.engine.close();
  const again = await openTestCore(core.path);
  expect(await again.api['case.current']({})).toMatchObject({ schema_version: SCHEMA_VERSION, rows: { event: 2 } });
  expect((await again.api['query.sql']({ sql: 'select count(*) from collectives' })).rows).toHaveLength(1);
  await again.importJson(mapping);
});

test('a short host name is the one full name that begins with it, and none of two', async () => {
  const machine = (id: string) => ({ mappings: [{ physical_device_id: id, gpus: [`GPU-${id}`] }] });
  const core = await openTestCore();
  await core.importJson(machine('node-3'), machine('node-3.example.com'));
  const joined = await core.api['names.list']({});
  expect(joined.merged.map(({ reason }) => reason)).toContain('host name node-3 of node-3.example.com');
  await core.importJson(machine('node-3.example.org'));
  const apart = await core.api['names.list']({});
  expect(apart.merged.filter(({ reason }) => reason.startsWith('host name'))).toEqual([]);
});
