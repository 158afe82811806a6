import { expect, test } from 'vitest';
import { parseTime } from '../../src/model/time.ts';
import { memoryCore, sharedCore, type TestCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

const recorded = (...names: readonly string[]): string[] => names.map((name) => sharedData(`defects/crash/${name}`));

/** A training job alone in its recording, whose spans end as the GPUs that are sampled on fall to 0 %. */
async function reportOf(...names: readonly string[]) {
  const core = await memoryCore();
  await core.import(recorded(...names));
  return core.api.correlate({});
}

const whole = sharedCore((core) => core.import(recorded('job-spans.json.gz', 'util.json', 'topo.csv', 'ev.json')));

test('a job that dies alone in its recording is an incident with its chain', async () => {
  const { incidents } = await whole().api.correlate({});
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

/** Earliest onset and onset of the only incident. */
async function onsetOf({ api }: TestCore) {
  const incidents = await api['incidents.list']({});
  expect(incidents).toHaveLength(1);
  const { onset_earliest_ns, onset_ns } = incidents[0]!;
  return { from_ns: onset_earliest_ns, to_ns: onset_ns };
}

test('work ended between its last span and the time when the next one should have ended, not an interval of its measurements later', async () => {
  // The last of eight ranks, which are not in step, ends its last step then; the others mostly follow within 0.3 s.
  const last_ns = parseTime('2026-05-01T14:10:00.996918003Z');
  const { from_ns, to_ns } = await onsetOf(whole());
  expect(from_ns).toBe(last_ns);
  expect(to_ns).toBeGreaterThan(last_ns);
  expect(to_ns).toBeLessThan(last_ns + 500_000_000n);
});

const begin_s = 1_777_644_000;

/**
 * Spans of 5 s of eight ranks, the last ones at 14:10, and a GPU that works until a time.
 * @param every seconds from one span of a rank to the next @param busyUntil seconds after 14:00
 */
async function rounds(every: number, busyUntil: number): Promise<TestCore> {
  const core = await memoryCore();
  const spans = Array.from({ length: 1200 / every + 1 }, (_, round) => begin_s - 600 + every * round).flatMap(
    (start, round) =>
      Array.from({ length: 8 }, (_, rank) => {
        const id = String(8 * round + rank + 1);
        const ids = { traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0') };
        const times = { startTimeUnixNano: `${start}000000000`, endTimeUnixNano: `${start + 5}0${rank}0000000` };
        return { ...ids, ...times, name: 'round', kind: 1 };
      }),
  );
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'pretrain-job-7' } }] };
  const metric = { __name__: 'DCGM_FI_DEV_GPU_UTIL', gpu: '0', UUID: 'GPU-1', Hostname: 'node-5' };
  const values = Array.from({ length: 160 }, (_, at) => [
    begin_s - 600 + 15 * at,
    15 * at - 600 <= busyUntil ? '98' : '0',
  ]);
  await core.importJson(
    { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] },
    { status: 'success', data: { resultType: 'matrix', result: [{ metric, values }] } },
  );
  await core.import(recorded('topo.csv', 'ev.json'));
  return core;
}

test('of ranks that work once a minute that is a minute, or as long as their GPU was seen at work', async () => {
  const ns = (seconds: number): bigint => BigInt(begin_s + seconds) * 1_000_000_000n;
  const last_ns = ns(605) + 70_000_000n;
  // The first rank should have ended its next round then.
  expect(await onsetOf(await rounds(60, 600))).toEqual({ from_ns: last_ns, to_ns: ns(665) });
  expect(await onsetOf(await rounds(10, 600))).toEqual({ from_ns: last_ns, to_ns: ns(615) });
  expect(await onsetOf(await rounds(10, 645))).toEqual({ from_ns: last_ns, to_ns: ns(645) });
});

test('the report of ended work dates its last record, and writes one step a second in the singular', async () => {
  const { text } = await whole().api['report.render']({});
  expect(text).toContain('more of it was due by then; the last record of it is 0.3 s earlier');
  expect(text).toMatch(/It had completed 1 step\/s before\./);
  expect(text).toContain('throughput: 0.9 to 1 step/s before it began, 0 steps/s during the impact');
  expect(text).not.toMatch(/\b1 steps\/s/);
});
