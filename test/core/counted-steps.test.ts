import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);

/** The incidents of a job whose gauge, sampled every 15 s for half an hour, states so many steps at a second. */
async function incidentsOf(stepsAt: (second: number) => number, name = 'train_global_step') {
  const folder = await temporaryFolder();
  const path = join(folder, 'metrics.json');
  const dataPoints = Array.from({ length: 120 }, (_, i) => ({
    timeUnixNano: `${BEGIN + 15_000 * i}000000`,
    asDouble: Math.floor(stepsAt(15 * i)),
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'llm' } }] };
  const scopeMetrics = [{ metrics: [{ name, gauge: { dataPoints } }] }];
  await writeFile(path, JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }] }));
  const core = await memoryCore();
  await core.import([path]);
  const { incidents } = await core.api.correlate({});
  expect(incidents.every(({ work, affected_services }) => work === 'steps' && affected_services[0] === 'llm')).toBe(
    true,
  );
  return incidents;
}

const harmsOf = async (stepsAt: (second: number) => number, name?: string): Promise<string[]> =>
  (await incidentsOf(stepsAt, name)).map(({ harm, went_on }) => (went_on ? `${harm}, went on` : harm));

test('a job that only a gauge of its steps measures: even, slower, at a stand', async () => {
  expect(await harmsOf((second) => second)).toEqual([]);
  expect(await harmsOf((second) => Math.min(second, 900) + Math.max(0, second - 900) / 1.5)).toEqual(['slowed']);
  expect(await harmsOf((second) => Math.min(second, 900))).toEqual(['stalled']);
});

test('a job that does no step for a quarter of an hour stalled, and went on', async () => {
  expect(await harmsOf((second) => Math.min(second, 600) + Math.max(0, second - 1500))).toEqual(['stalled, went on']);
});

test('a number that is no count of steps measures nothing', async () => {
  const jumping = (second: number): number => ((second / 15) % 2 === 0 ? 100 : second);
  expect(await harmsOf(jumping)).toEqual([]);
  expect(await harmsOf((second) => Math.min(second, 900), 'train_step_time')).toEqual([]);
});

test('steps that are rarer than samples took the time between them, not the time between two samples', async () => {
  const [incident, ...others] = await incidentsOf(
    (second) => Math.min(second, 900) / 25 + Math.max(0, second - 900) / 60,
  );
  expect(others).toEqual([]);
  expect(incident?.harm).toBe('slowed');
  expect(incident?.impact.p99_baseline_ms).toBeCloseTo(30_000, -1);
  expect(incident?.impact.p99_peak_ms).toBeCloseTo(60_000, -1);
});
