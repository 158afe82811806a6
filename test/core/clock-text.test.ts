import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clockEstimateText } from '../../src/model/incident/clock-estimate.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

/** Irregular, so that only one shift lines them up. */
const instants = [40, 95, 131, 210, 268, 333, 371, 452, 498, 560, 611, 690];
const SKEW_S = 7;

async function skewedFiles(folder: string): Promise<string[]> {
  const documents = {
    'nvml.json': { events: instants.map((at, i) => event(`n${i}`, at, 'nvml', 'xid_error', 'GPU-A')) },
    'kernel.json': { events: instants.map((at, i) => event(`k${i}`, at + SKEW_S, 'kernel', 'xid_error', 'GPU-A')) },
    'traces.json': { service_metrics: service('inference') },
    'topology.json': topology,
  };
  const paths = Object.entries(documents).map(([name, document]) => [join(folder, name), document] as const);
  for (const [path, document] of paths) await writeFile(path, JSON.stringify(document));
  return paths.map(([path]) => path);
}

test('clock estimates are in the core API, in info and in the report', async () => {
  const folder = await temporaryFolder();
  const core = await openTestCore();
  await core.import(await skewedFiles(folder));
  const before = await core.api['clocks.list']({});
  const [view] = await core.api['incidents.list']({});
  expect(view).toBeDefined();
  // The same, whether conclusions have been drawn or not.
  expect(await core.api['clocks.list']({})).toEqual(before);
  const estimates = new Map(before.map((one) => [one.name, one]));
  const [nvml, kernel] = [estimates.get('nvml.json'), estimates.get('kernel.json')];
  const apart = Number((nvml?.offset_ns ?? 0n) - (kernel?.offset_ns ?? 0n)) / 1e9;
  expect(apart).toBeCloseTo(SKEW_S, 0);
  expect([nvml?.method, kernel?.method].sort()).toEqual(['linked_pairs', 'reference']);
  const { text } = await core.api['report.render']({});
  const sources = text.slice(text.indexOf('## Data sources'), text.indexOf('## Open questions'));
  expect(sources).toContain('Clock offsets, estimated from linked events:');
  expect(sources).toMatch(/- kernel\.json: [-+0-9. ]+s ± [0-9.]+ s, /);
  expect(sources).not.toContain('- topology.json: ');
  await core.close();
  const info = await faultline('info', core.path);
  expect(info.out).toMatch(/^ {6}clock: .*estimated from linked pairs of events: .*\(\d+ linked pairs\)/m);
  const json = JSON.parse((await faultline('info', core.path, '--json')).out);
  expect(json.clocks.find(({ name }: { name: string }) => name === 'kernel.json')).toMatchObject({
    method: kernel?.method,
    offset_ns: String(kernel?.offset_ns),
    uncertainty_ns: String(kernel?.uncertainty_ns),
    remark: kernel?.remark,
  });
});

test('words: sign, doubt, drift and how it is known', () => {
  const base = {
    file_id: 1,
    source_id: 1,
    name: 'bmc',
    error: 'shift' as const,
    pairs: 9,
    remark: 'why',
    perhaps_ns: null,
  };
  const offsetText = (offset_s: number, uncertainty_s: number, drift_ppm: number | null) =>
    clockEstimateText({
      ...base,
      method: 'linked_pairs',
      offset_ns: BigInt(offset_s * 1e9),
      uncertainty_ns: BigInt(uncertainty_s * 1e9),
      drift_ppm,
    });
  expect(offsetText(-3600.5, 0.1234, 41.7)).toBe(
    '-3600.5 s ± 0.123 s, drifting by 42 ppm, estimated from linked pairs of events: why',
  );
  expect(offsetText(0, 1, null)).toBe('0 s ± 1 s, estimated from linked pairs of events: why');
});
