import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exported } from '../bundle/bundle-case.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { exportedRows, finished } from '../support/exports.ts';
import { hostileOtlp, hostileTexts } from '../support/hostile-texts.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');

async function caseOf(...folders: readonly string[]): Promise<TestCore> {
  const core = await openTestCore();
  await core.import(folders.map((folder) => join(fixtures, folder)));
  return core;
}

async function exportedTo(core: TestCore): Promise<string> {
  const folder = join(await temporaryFolder(), 'out');
  core.exportTo(folder);
  await finished(core.api['export.tables']({}));
  return folder;
}

const recorded = ['spans', 'logs', 'metrics', 'histograms', 'events'] as const;

test.each([
  ['otlp/gcp-ops', 'otlp/proto-examples', 'otlp/jaeger-ui', 'otlp/fluent-bit', 'otlp/framings'],
  ['jaeger-json', 'zipkin-json'],
  ['chrome-trace', 'flight-recorder'],
  ['incidents/pdu-sag', 'topology-csv'],
  ['prometheus', 'prometheus-json', 'dcgm', 'nvidia-smi', 'rocm-smi', 'rapl'],
  ['kubernetes', 'nvsentinel', 'kernel-log', 'aws-health', 'azure-health', 'gcp-health'],
  ['redfish', 'snmp-walk', 'snmp-traps'],
  ['ingero-sqlite', 'parquet/clickhouse-traces.parquet', 'parquet/otel-arrow-spans.parquet'],
])('what is exported as Parquet is read back equal: %s', async (...folders) => {
  const core = await caseOf(...folders);
  const folder = await exportedTo(core);
  const again = await openTestCore();
  const events = await again.import([folder]);
  expect(events.filter(({ kind }) => kind === 'problem' || kind === 'skipped')).toEqual([]);
  let rows = 0;
  for (const table of recorded) {
    const before = await exportedRows(core, table);
    expect(await exportedRows(again, table), table).toEqual(before);
    rows += before.length;
  }
  expect(rows).toBeGreaterThan(0);
  const links = new Set(await exportedRows(again, 'topology'));
  expect((await exportedRows(core, 'topology')).filter((link) => !links.has(link))).toEqual([]);
  expect((await readdir(folder)).every((name) => /^[a-z]+\.parquet$/.test(name))).toBe(true);
});

test('texts that would break any form come back as they were', async () => {
  const core = await openTestCore();
  await core.importJson(hostileOtlp);
  const again = await openTestCore();
  await again.import([await exportedTo(core)]);
  for (const table of recorded)
    expect(await exportedRows(again, table), table).toEqual(await exportedRows(core, table));
  expect((await exportedRows(again, 'spans')).length).toBe(hostileTexts.length);
});

test('times are those of the case: they include clock corrections, which sources.parquet lists', async () => {
  const core = await openTestCore();
  const [handle] = await Promise.all(
    ['otlp/proto-examples/trace.json'].map((file) => core.register(join(fixtures, file))),
  );
  const clocks = { 'trace.json': { offset_s: 1.5 } };
  for await (const _ of core.api['import.run']({ handles: [handle!], clocks }));
  const again = await openTestCore();
  const folder = await exportedTo(core);
  await again.import([folder]);
  expect(await exportedRows(again, 'spans')).toEqual(await exportedRows(core, 'spans'));
  const sql = 'select clock_offset_ns from source where rows <> $${}$$';
  expect((await again.api['query.sql']({ sql })).rows).toEqual([[0]]);
  expect(await exportedRows(core, 'sources')).toEqual([expect.stringContaining('"clock_offset_ns":1500000000')]);
});

test('a folder that holds something is refused, unless files of the same names may give way; others stay', async () => {
  const core = await caseOf('incidents/pdu-sag');
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'mine.txt'), 'mine');
  await writeFile(join(folder, 'logs.parquet'), 'of an earlier state');
  core.exportTo(folder);
  const refused = finished(core.api['export.tables']({}));
  await expect(refused).rejects.toMatchObject({ problem: { code: 'export.not_empty' } });
  expect((await readdir(folder)).sort()).toEqual(['logs.parquet', 'mine.txt']);
  core.exportTo(folder, true);
  const { rows } = await finished(core.api['export.tables']({}));
  expect(rows.logs).toBeUndefined();
  expect((await readdir(folder)).sort()).toEqual(
    ['mine.txt', ...Object.keys(rows).map((name) => `${name}.parquet`)].sort(),
  );
  core.exportTo(join(folder, 'mine.txt'));
  const file = finished(core.api['export.tables']({}));
  await expect(file).rejects.toMatchObject({ problem: { code: 'export.not_a_folder' } });
});

test('an export that is cancelled leaves nothing', async () => {
  const core = await caseOf('incidents/pdu-sag');
  const parent = await temporaryFolder();
  core.exportTo(join(parent, 'out'));
  for await (const event of core.api['export.tables']({})) if (event.kind === 'progress' && event.done > 3) break;
  await expect.poll(() => readdir(parent)).toEqual([]);
});

test('rows lie in the order of time, and the same case is the same bytes', async () => {
  const core = await caseOf('otlp/gcp-ops', 'otlp/jaeger-ui');
  const [one, other] = [await exportedTo(core), await exportedTo(core)];
  for (const name of await readdir(one))
    expect((await readFile(join(one, name))).equals(await readFile(join(other, name))), name).toBe(true);
});

test('exports that are asked for at once are each as if it were alone', async () => {
  const core = await caseOf('otlp/gcp-ops', 'otlp/jaeger-ui');
  const parent = await temporaryFolder();
  const order = ['a', 'b', 'c'].map(async (name) => {
    core.exportTo(join(parent, name));
    await finished(core.api['export.tables']({}));
  });
  const bundle = exported(core);
  await Promise.all(order);
  const alone = await exportedTo(core);
  for (const name of await readdir(alone))
    for (const folder of ['a', 'b', 'c'])
      expect((await readFile(join(alone, name))).equals(await readFile(join(parent, folder, name))), name).toBe(true);
  const again = await openTestCore((await bundle).path);
  for (const table of recorded)
    expect(await exportedRows(again, table), table).toEqual(await exportedRows(core, table));
});
