import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

const recorded = (...names: readonly string[]): string[] => names.map((name) => sharedData(`defects/crash/${name}`));

/** A training job alone in its recording, whose spans end as the GPUs that are sampled on fall to 0 %. */
async function reportOf(...names: readonly string[]) {
  const core = await memoryCore();
  await core.import(recorded(...names));
  return core.api.correlate({});
}

test('a job that dies alone in its recording is an incident with its chain', async () => {
  const { incidents } = await reportOf('job-spans.json.gz', 'util.json', 'topo.csv', 'ev.json');
  expect(incidents).toHaveLength(1);
  expect(incidents[0]).toMatchObject({ affected_services: ['pretrain-job-7'], harm: 'ended' });
  expect(incidents[0]?.impact).toMatchObject({ throughput_peak_rps: 0, p99_peak_ms: null });
  expect(incidents[0]?.causal_chain.map(({ type }) => type)).toEqual([
    'voltage_sag',
    'psu_failover',
    'xid_error',
    'trace_degradation',
  ]);
});

test('one that ends without a recorded reason may be done: a warning names its end', async () => {
  const { incidents, warnings } = await reportOf('job-spans.json.gz', 'util.json', 'topo.csv');
  expect(incidents).toEqual([]);
  expect(warnings.join()).toMatch(/pretrain-job-7 ended at 2026-05-01T14:10:00/);
});

test('spans that end are a gap of telemetry where no GPU shows that the work ended', async () => {
  const { incidents, warnings } = await reportOf('job-spans.json.gz', 'topo.csv', 'ev.json');
  expect([incidents, warnings.filter((text) => text.includes('ended'))]).toEqual([[], []]);
});
