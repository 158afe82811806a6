import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { faultline } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { event, service, topology } from '../support/scenario.ts';

test('a case of a newer schema is refused with a clear message', async () => {
  const core = await openTestCore();
  await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });
  await core.close();
  const engine = await openNativeEngine(join(core.path, 'case.duckdb'));
  const session = await engine.session();
  await session.execute("update meta set value = '999' where key = 'schema_version'");
  session.close();
  await engine.close();
  await expect(openTestCore(core.path)).rejects.toMatchObject({ problem: { code: 'case.newer_schema' } });
  const { code, err } = await faultline('info', core.path);
  expect([code, err.includes('newer Faultline')]).toEqual([1, true]);
});

test('a damaged database is one clear line', async () => {
  const core = await openTestCore();
  await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });
  await core.close();
  await writeFile(
    join(core.path, 'case.duckdb'),
    'this is not a database at all, but it is long enough to be read as one'.repeat(100),
  );
  const { code, err } = await faultline('info', core.path);
  expect([code, err.includes('cannot be read')]).toEqual([1, true]);
  expect(err).not.toContain('    at ');
});

test('cancelling an import leaves the case as it was, and it goes on being usable', async () => {
  const files = await demoFiles();
  const core = await openTestCore();
  await core.importJson({ service_metrics: service('inference') });
  const before = await core.api['case.current']({});
  const cancel = new AbortController();
  const running = core.import([files[4]], cancel.signal);
  setTimeout(() => cancel.abort(), 250);
  await expect(running).rejects.toThrow();
  expect(await core.api['case.current']({})).toEqual(before);
  const events = await core.import([files[1]]);
  expect(events.at(-1)).toEqual({ kind: 'done', imported: 1, failed: 0, skipped: 0 });
});

test('the rows of a source can be traced to its file by hash', async () => {
  const core = await openTestCore();
  const [source] = core.sources(await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] }));
  expect(source?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(source).toMatchObject({ format: 'powertrace', rows: { event: 1 }, rejects: 0 });
});

test('the same file twice is refused by its hash, whatever it is called', async () => {
  const core = await openTestCore();
  const document = { events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] };
  expect(core.sources(await core.importJson(document))).toHaveLength(1);
  const again = await core.importJson(document);
  expect(again).toContainEqual(
    expect.objectContaining({ kind: 'problem', problem: expect.objectContaining({ code: 'import.duplicate' }) }),
  );
  expect((await core.api['case.current']({}))?.rows).toEqual({ event: 1 });
});

test('an order that the clocks cannot decide is marked as undecided', async () => {
  const folder = await temporaryFolder();
  const write = async (name: string, content: unknown): Promise<string> => {
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const path = join(folder, 'clocks.faultline');
  const pdu = await write('pdu.json', { events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] });
  const bmc = await write('bmc.json', { events: [event('e2', 691, 'redfish', 'psu_failover', 'server-1')] });
  const rest = await write('rest.json', { service_metrics: service('inference'), ...topology });
  const { code } = await faultline('import', path, pdu, bmc, rest, '--clock', 'bmc.json=+0+-2');
  expect(code).toBe(0);
  const core = await openTestCore(path);
  const [view] = await core.api['incidents.list']({});
  expect(view?.steps.map(({ undecided }) => undecided)).toEqual([false, true, false]);
  expect((await core.api['report.render']({})).text).toContain(
    'order undecided: the difference is within the clock uncertainty',
  );
});
