import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledMechanisms, checkMechanisms } from '../../src/core/analysis/causality/mechanisms.ts';
import { ownFile } from '../../src/main/own-file.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
const failover = event('e2', 691, 'redfish', 'psu_failover', 'server-1');
/** The built-in file with other figures: sags are unknown, failovers are root causes. */
const edited = bundledMechanisms
  .replace(/^ {2}voltage_sag: 1\.3$/m, '  voltage_sag: -5')
  .replace(/^ {2}psu_failover: 0\.1$/m, '  psu_failover: 3.5');

async function openWithFile() {
  const path = join(await temporaryFolder(), 'mechanisms.yaml');
  const core = await memoryCore({ mechanismsFile: ownFile(path, 'mechanisms') });
  await core.importJson({ events: [sag, failover] }, { service_metrics: service('inference') }, topology);
  const bestHypothesis = async () => {
    const [view] = await core.api['incidents.list']({});
    return { verdict: view?.incident.hypotheses[0]?.type, warnings: view?.incident.warnings.join('\n') ?? '' };
  };
  return { core, path, asked: bestHypothesis };
}

test("the user's file replaces the bundled one while the app runs, and the evidence shows it", async () => {
  expect(edited).not.toBe(bundledMechanisms);
  const { core, path, asked: bestHypothesis } = await openWithFile();
  const record = () => core.api['evidence.get']({ ref: 'mechanism:psu_failover' });
  expect((await bestHypothesis()).verdict).toBe('voltage_sag');
  expect(await core.api['mechanisms.status']({})).toMatchObject({ in_use: 'bundled', has_file: false, problem: null });
  expect((await record()).fields[0]).toEqual({ name: 'root weight', value: '0.1 log-odds' });
  await writeFile(path, edited);
  expect((await bestHypothesis()).verdict).toBe('psu_failover');
  expect(await core.api['mechanisms.status']({})).toMatchObject({ in_use: 'own', has_file: true, problem: null });
  expect(await record()).toMatchObject({ source: 'your own mechanisms.yaml' });
  expect((await record()).fields[0]).toEqual({ name: 'root weight', value: '3.5 log-odds' });
  await rm(path);
  expect((await bestHypothesis()).verdict).toBe('voltage_sag');
});

test('an invalid file leaves the last valid one in use, and every incident has a warning', async () => {
  const { core, path, asked } = await openWithFile();
  await writeFile(path, edited);
  expect(await asked()).toMatchObject({ verdict: 'psu_failover', warnings: expect.not.stringContaining('mechanisms') });
  const broken = edited.replace('strength: 0.8', 'strength: 80');
  const line = broken.slice(0, broken.indexOf('strength: 80')).split('\n').length;
  await writeFile(path, broken);
  const { verdict, warnings } = await asked();
  expect(verdict).toBe('psu_failover');
  expect(warnings).toContain(`mechanisms.yaml is not valid: line ${line}, harms.`);
  expect(warnings).toContain('the last valid mechanisms remain in use');
  const report = await core.api.correlate({});
  expect(report.warnings.join()).toContain('mechanisms.yaml is not valid');
  const status = await core.api['mechanisms.status']({});
  expect(status).toMatchObject({ in_use: 'own', has_file: true, problem: { code: 'mechanisms.invalid' } });
  expect(status.issues).toEqual([
    { line, field: expect.stringMatching(/^harms\..+\.strength$/), message: expect.any(String) },
  ]);
  await writeFile(path, edited);
  expect((await asked()).warnings).not.toContain('mechanisms');
});

test('all errors are reported with line and field', () => {
  expect(checkMechanisms(bundledMechanisms)).toEqual([]);
  const text = [
    'version: 2',
    'roots:',
    '  voltage_sag: soon',
    'harms: {}',
    'silent:',
    '  toaster: burnt',
    'mechanisms:',
    '  - { cause: a, effect: b, relation: below, delay_s: [0, 1], strength: 0.5, source: s }',
    '  - cause: a',
    '    effect: b',
    '    relation: sideways',
    '    delay_s: [5, 1]',
    '    source: s',
  ].join('\n');
  expect(checkMechanisms(text).map(({ line, field }) => [line, field])).toEqual([
    [3, 'roots.voltage_sag'],
    [6, 'silent.toaster'],
    [9, 'mechanisms.1.strength'],
    [11, 'mechanisms.1.relation'],
    [12, 'mechanisms.1.delay_s'],
  ]);
  expect(checkMechanisms('version: 2\nroots: [1\nharms: }')).toEqual([
    { line: 3, field: '', message: expect.any(String) },
  ]);
  expect(checkMechanisms('')).toHaveLength(1);
  expect(checkMechanisms(`a: "${'x'.repeat(1_000_001)}"`)[0]?.message).toContain('too large');
});
