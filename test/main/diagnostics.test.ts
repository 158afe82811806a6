import { writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { faultline } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

/** All that diagnostics may hold: our own words, versions and counts. */
const LINES = [
  /^faultline {2}\d+\.\d+\.\d+, (cli|web|electron|viewer)$/,
  /^commit {5}([0-9a-f]{12}(, changed)?|not built)$/,
  /^runs on {4}Node \d+\.\d+\.\d+$/,
  /^database {3}DuckDB v\d+\.\d+\.\d+$/,
  /^system {5}(linux|darwin|win32) (x64|arm64) [\d.]+$/,
  /^machine {4}\d+ processors, \d+ GiB of memory$/,
  /^newest {5}schema \d+ of cases, format \d+ of bundles$/,
  /^case {7}(none is open|schema \d+, \d+ sources, \d+ rejects)$/,
  /^formats {4}[a-z-]+ \d+(, [a-z-]+ \d+)*$/,
  /^rows {7}[a-z_]+ \d+(, [a-z_]+ \d+)*$/,
  /^layers {5}[a-z]+(, [a-z]+)*$/,
];

test('diagnostics hold versions and counts, and nothing that was recorded, no path and no host', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'secret-customer.faultline');
  const file = join(folder, 'secret-file.json');
  const events = [event('secret-id', 690, 'pdu_snmp', 'voltage_sag', 'SECRET-PDU')];
  await writeFile(file, JSON.stringify({ events, service_metrics: service('secret-service'), ...topology }));
  expect((await faultline('import', path, file)).code).toBe(0);
  const { code, out, err } = await faultline('diagnostics', path);
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(LINES.length);
  for (const [i, line] of lines.entries()) expect(line).toMatch(LINES[i]!);
  for (const one of [/secret/i, folder, userInfo().username, hostname(), '2026']) expect(out).not.toMatch(one);
  expect(out).toContain('case       schema');
});

test('what a stranger wrote as a format is counted as another one', async () => {
  const core = await openTestCore();
  await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });
  await core.close();
  const engine = await openNativeEngine(join(core.path, 'case.duckdb'));
  const session = await engine.session();
  await session.execute(`update source set format = 'call 555-0100', rows = '{"a secret": 3, "event": 1}'`);
  session.close();
  await engine.close();
  const { out } = await faultline('diagnostics', core.path);
  expect(out).toContain('formats    other 1\nrows       event 1\n');
});

test('without a case they state that none is open, and a version has its commit', async () => {
  expect((await faultline('diagnostics')).out).toMatch(/\ncase {7}none is open\n$/);
  expect((await faultline('--version')).out).toMatch(
    new RegExp(`^faultline ${packageJson.version} \\(commit ([0-9a-f]{12}(, changed)?|unknown|not built)\\)\n$`),
  );
});
