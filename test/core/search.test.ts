import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDemoFiles } from '../../src/main/demo/index.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

test('a text is found in names of entities, events, spans and logs, and each leads to its record', async () => {
  const core = await memoryCore();
  await core.import(await writeDemoFiles(join(await temporaryFolder(), 'files')));
  const about = await core.api.search({ text: 'GPU-NODE-05' });
  expect(about.entities[0]).toMatchObject({ key: 'server:gpu-node-05', layer: 'server' });
  expect(about.events[0]).toMatchObject({ device: 'gpu-node-05', type: 'psu_failover' });
  const events = (await core.api.search({ text: 'voltage sag' })).events;
  expect(events[0]).toMatchObject({ type: 'voltage_sag', device: 'PDU-B-rack-22', severity: 0 });
  const { rows } = await core.api['query.sql']({
    sql: "select name, count(*) from spans where name ilike '%infer%' or name ilike '%chat%' group by name order by 2 desc limit 1",
  });
  const [name = '', count = 0] = rows[0] as [string, number];
  const { spans } = await core.api.search({ text: name, limit: 50 });
  expect(spans.filter((one) => one.name === name).reduce((sum, one) => sum + one.spans, 0)).toBe(Number(count));
  const word = await core.api['query.sql']({ sql: 'select body from logs where length(body) > 12 limit 1' });
  const body = String(word.rows[0]?.[0]);
  const { logs } = await core.api.search({ text: body.slice(2, 40).toUpperCase(), limit: 3 });
  expect(logs.length).toBeGreaterThan(0);
  for (const { ref } of [...events, ...spans.slice(0, 2), ...logs])
    expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
  const none = await core.api.search({ text: "'; drop table event; --" });
  expect([none.entities, none.events, none.spans, none.logs].flat()).toEqual([]);
}, 120_000);
