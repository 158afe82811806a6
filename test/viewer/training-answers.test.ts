import { expect, test } from 'vitest';
import { exported, opened } from '../bundle/bundle-case.ts';
import { openTestCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { viewed } from '../support/wasm-engine.ts';

/** Small recordings of training and serving: stalls, stragglers and histograms, which the demo has none of. */
const recordings = [
  'dataloader/one-process-2min-stall.json.gz',
  'nccl-metrics/ingero-otlp.json.gz',
  'histograms/http.json',
];
const region = { start_ns: 1_777_644_900_000_000_000n, end_ns: 1_777_645_080_000_000_000n };

test.each(recordings)('the viewer finds in %s what the desktop finds', async (recording) => {
  const core = await openTestCore();
  await core.import([sharedData(`defects/${recording}`)]);
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
});
