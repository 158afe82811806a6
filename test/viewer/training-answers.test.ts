import { expect, test } from 'vitest';
import { writeScenario } from '../../src/main/demo/scenarios/index.ts';
import { exported, opened } from '../bundle/bundle-case.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { viewed } from '../support/wasm-engine.ts';

/** Small recordings of training and serving: stalls, stragglers and histograms, which the demo has none of. */
const recordings = [
  'dataloader/one-process-2min-stall.json.gz',
  'nccl-metrics/ingero-otlp.json.gz',
  'histograms/http.json',
  'inference/spans.json.gz',
];
const region = { start_ns: 1_777_644_900_000_000_000n, end_ns: 1_777_645_080_000_000_000n };

/** Findings, incidents, differences and jobs of these files are those of the desktop. */
async function expectSameAnswers(files: readonly string[]): Promise<{ readonly jobs: number }> {
  const core = await openTestCore();
  await core.import([...files]);
  const { path } = await exported(core);
  const desktop = (await opened(path)).api;
  const viewer = (await viewed(path)).api;
  const { findings } = await desktop['patterns.list']({});
  expect((await viewer['patterns.list']({})).findings).toEqual(findings);
  expect(await viewer['incidents.list']({})).toEqual(await desktop['incidents.list']({}));
  const query = { region, baseline: { kind: 'rest' } } as const;
  const { differences } = await desktop['differences.find'](query);
  expect((await viewer['differences.find'](query)).differences.map(({ id }) => id)).toEqual(
    differences.map(({ id }) => id),
  );
  const { jobs } = await desktop['jobs.list']({});
  expect((await viewer['jobs.list']({})).jobs).toEqual(jobs);
  for (const { id, first_ns, last_ns } of jobs) {
    const window = { job: id, start_ns: first_ns!, end_ns: last_ns!, buckets: 60 };
    expect(await viewer['jobs.heat'](window)).toEqual(await desktop['jobs.heat'](window));
  }
  return { jobs: jobs.length };
}

test.each(recordings)('the viewer finds in %s what the desktop finds', async (recording) => {
  await expectSameAnswers([sharedData(`defects/${recording}`)]);
});

test('the viewer shows the ranks of a job that hangs as the desktop does', async () => {
  const { paths } = await writeScenario(await temporaryFolder(), 'hang');
  expect((await expectSameAnswers(paths)).jobs).toBeGreaterThan(0);
});
