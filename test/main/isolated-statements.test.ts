import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { AppCore } from '../support/app-core.ts';
import { appCore } from '../support/app-core.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

/** The demo, open in the app, which runs statements in a process of their own. */
async function demo(): Promise<AppCore & { readonly folder: string }> {
  const root = await temporaryFolder();
  const app = appCore(root);
  await app.api['case.open_demo']({});
  return { ...app, folder: join(root, 'demo-incident.faultline') };
}

const note = (id: string) => ({
  id,
  kind: 'note' as const,
  text: 'looked at',
  target: null,
  at_ns: null,
  until_ns: null,
  made_at_ns: 1n,
});

const count = async ({ api }: AppCore, of: string): Promise<unknown> => {
  const { rows } = await api['query.sql']({ sql: `select count(*)::integer as n from ${of}`, limit: 1 });
  return String(rows[0]);
};

const incidentFile = join(import.meta.dirname, '../../fixtures/incidents/pdu-sag/topology.json');

test('a statement that takes all memory is ended in one clear line, and the case goes on', async () => {
  const app = await demo();
  const before = await count(app, 'spans');
  for (const sql of ['select len(list_resize([1], 2000000000, 1)) as n', 'select len(range(900000000)) as n'])
    await expect(app.api['query.sql']({ sql })).rejects.toMatchObject({
      problem: { code: 'sql.too_large' },
    });
  expect(await count(app, 'spans')).toBe(before);
  expect((await app.api['incidents.list']({})).length).toBeGreaterThan(0);
  // The case is locked as before: to copy it was nobody's opening of it.
  expect(await faultline('info', app.folder)).toMatchObject({
    code: 0,
    err: expect.stringContaining('this is read from a copy of it as of now'),
  });
  expect(await faultline('import', app.folder, incidentFile)).toMatchObject({
    code: 1,
    err: expect.stringContaining('another Faultline'),
  });
});

test('a statement that takes all memory takes no capture along', async () => {
  const app = await demo();
  const plan = 'feeds:\n  - kind: otlp\n    name: receiver\n    grpc: null\n    http: 127.0.0.1:0\n';
  await app.api['capture.start']({ plan, new_case: true });
  const stop = new AbortController();
  const events: { readonly kind: string; readonly reason?: string }[] = [];
  const following = (async () => {
    for await (const event of app.api['capture.state']({}, { signal: stop.signal })) events.push(event as never);
  })().catch(() => undefined);
  const port = async (): Promise<string> => {
    await expect.poll(() => /127\.0\.0\.1:(\d+)/.exec(inspect(events, { depth: 9 }))?.[1]).toBeDefined();
    return /127\.0\.0\.1:(\d+)/.exec(inspect(events, { depth: 9 }))?.[1] ?? '';
  };
  const url = `http://127.0.0.1:${await port()}/v1/logs`;
  const post = async (body: string): Promise<number> => {
    const record = { timeUnixNano: String(BigInt(Date.now()) * 1_000_000n), body: { stringValue: body } };
    const resourceLogs = [{ resource: {}, scopeLogs: [{ logRecords: [record] }] }];
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ resourceLogs }) })).status;
  };
  expect(await post('before')).toBe(200);
  await expect(app.api['query.sql']({ sql: 'select len(range(900000000)) as n' })).rejects.toMatchObject({
    problem: { code: 'sql.too_large' },
  });
  expect(await post('after')).toBe(200);
  await expect.poll(() => count(app, 'logs')).toBe('2');
  await app.api['capture.stop']({});
  stop.abort();
  await following;
  expect(await count(app, 'logs')).toBe('2');
});

test('what was written a moment ago is in the answer, and the columns are those of the case itself', async () => {
  const app = await demo();
  const before = await count(app, 'annotation');
  for (let i = 0; i < 3; i++) {
    await app.api['annotations.change']({ put: [note(`n${i}`)] });
    expect(await count(app, 'annotation')).not.toBe(before);
    expect(await count(app, `annotation where annotation_id = 'n${i}'`)).toBe('1');
  }
  const { bytes } = await app.api['query.parquet']({ sql: 'select * from events' });
  expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('PAR1');
  await expect(app.api['query.sql']({ sql: 'select nothing' })).rejects.toMatchObject({
    problem: { code: 'sql.failed' },
  });
  await expect(app.api['query.sql']({ sql: 'delete from event' })).rejects.toMatchObject({
    problem: { code: 'sql.refused' },
  });
});

test('a statement that is given up and does not hear it is ended, and another is answered meanwhile', async () => {
  const app = await demo();
  const stop = new AbortController();
  const deaf = app.api['query.sql']({ sql: "select length(format('{:1900000000}', 1)) as n" }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('given up')), 300);
  await expect(deaf).rejects.toThrow();
  await expect.poll(() => count(app, 'spans').catch(() => 'ended')).toMatch(/\d/);
});

test('closing the case ends the process, and its copy goes', async () => {
  const app = await demo();
  await count(app, 'spans');
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('faultline-case-'));
  expect(copies().length).toBeGreaterThan(0);
  await app.api['case.close']({});
  // A copy whose process was killed is removed by the next that starts.
  const again = await demo();
  await count(again, 'spans');
  const alive = (name: string): boolean => {
    try {
      process.kill(Number(name.split('-')[2]), 0);
      return true;
    } catch {
      return false;
    }
  };
  expect(copies().filter((name) => !alive(name))).toEqual([]);
});
