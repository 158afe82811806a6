import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkThresholds, parseThresholds, thresholdsYaml } from '../../src/core/analysis/patterns/thresholds.ts';
import { ownFile } from '../../src/main/own-file.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const withValues = (...lines: string[]): string =>
  ['version: 1', 'thresholds:', ...lines.map((line) => `  ${line}`)].join('\n');

test('the file of the defaults changes nothing, and a changed one names what it changes', () => {
  expect(parseThresholds(thresholdsYaml([]))).toEqual([]);
  const changed = parseThresholds(withValues('facility:', '  redundancySeconds: 600', '  coolingMachines: 2', 'gpu:'));
  expect(changed).toEqual([{ name: 'facility.redundancySeconds', value: 600, default_value: 300, unit: 's' }]);
  expect(parseThresholds(thresholdsYaml(changed))).toEqual(changed);
  expect(thresholdsYaml(changed)).toContain('default 300)\n    redundancySeconds: 600');
});

test.each([
  [['facility:', '  redundancySecond: 3'], 4, 'no threshold, the nearest is redundancySeconds'],
  [['gpu:', '  redundancySeconds: 3'], 4, 'no threshold, the nearest is facility.redundancySeconds'],
  [['facilities: {}'], 3, 'no group of thresholds, the nearest is facility'],
  [['training:', '  lastShare: 2'], 4, 'must be 0 to 1, not 2'],
  [['training:', '  lastShare: -0.1'], 4, 'must be 0 to 1, not -0.1'],
  [['shared:', '  slices: 0'], 4, 'must be 1 to 10000, not 0'],
  [['shared:', '  apartSeconds: .inf'], 4, 'must be a number'],
  [['shared:', '  apartSeconds: an hour'], 4, 'must be a number'],
  [['shared:', '  mostEvents: 5'], 4, 'no threshold'],
])('%j is refused with its line', (lines, line, message) => {
  expect(checkThresholds(withValues(...lines))).toEqual([
    { line, field: expect.any(String), message: expect.stringContaining(message) },
  ]);
  expect(() => parseThresholds(withValues(...lines))).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'thresholds.invalid' }) }),
  );
});

test("the user's file counts from the next query on; while it is invalid, the last valid one does", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'thresholds.yaml');
  const recording = join(folder, 'lost.txt');
  await writeFile(
    recording,
    [
      '# Faultline recording from 2026-01-01T00:00:00Z',
      '10 server:n1 psu_failover high redfish: on PSU-A',
      '400 server:n1 psu_restored low redfish: both',
    ].join('\n'),
  );
  const core = await memoryCore({ thresholdsFile: ownFile(path, 'thresholds') });
  await core.import([recording]);
  const found = async () => {
    const answer = await core.api['patterns.list']({ pattern: 'lost-redundancy' });
    return [answer.findings.length, answer.thresholds_changed.length, answer.thresholds_problem?.code];
  };
  expect(await found()).toEqual([1, 0, undefined]);
  await writeFile(path, withValues('facility:', '  redundancySeconds: 600'));
  expect(await found()).toEqual([0, 1, undefined]);
  await writeFile(path, withValues('facility:', '  redundancySeconds: long'));
  expect(await found()).toEqual([0, 1, 'thresholds.invalid']);
  expect(await core.api['thresholds.status']({})).toMatchObject({ in_use: 'own', has_file: true });
  await rm(path);
  expect(await found()).toEqual([1, 0, undefined]);
});
