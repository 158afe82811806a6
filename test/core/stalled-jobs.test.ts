import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectiveMeasurements, stalledJobs } from '../../src/core/analysis/impact/stalled-jobs.ts';
import type { Reader } from '../../src/core/store/facts/reader.ts';
import type { Hypothesis, Incident } from '../../src/model/incident/incident.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { LiveJob } from '../support/live-job.ts';
import { sharedData } from '../support/shared-data.ts';

const dump = join(import.meta.dirname, '../../fixtures/flight-recorder/hang-rank5-protocol4');

/** The incidents of a case of these files and folders, and of files with these texts. */
async function incidentsOf(paths: readonly string[], texts: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  const written = Object.keys(texts).map((name) => join(folder, name));
  for (const path of written) await writeFile(path, texts[path.slice(folder.length + 1)]!);
  const core = await memoryCore();
  await core.import([...written, ...paths]);
  const { incidents } = await core.api.correlate({});
  return { incidents, core };
}

const chainOf = ({ causal_chain }: Incident): string[] =>
  causal_chain.map(({ type, device_id }) => `${type} ${device_id}`);

const map =
  'from_kind,from_id,edge,to_kind,to_id\npdu,PDU-B,feeds,server,node-5\nserver,node-5,contains,gpu,node-5/GPU-0\nrank,rank-5,runs_on,gpu,node-5/GPU-0\n';
const power = JSON.stringify({
  events: [
    ['a', '27', 'pdu_snmp', 'voltage_sag', 'PDU-B', {}],
    ['b', '28', 'redfish', 'psu_failover', 'node-5', {}],
    ['c', '29', 'nvml', 'xid_error', 'node-5/GPU-0', { xid: 79 }],
  ].map(([id, second, source, type, device_id, metadata]) => ({
    ...{ id, timestamp: `2026-01-01T00:00:${second}.000Z`, source, type, severity: 'critical', device_id, metadata },
    raw_message: `${type} on ${device_id}`,
  })),
});

test('a job that hangs is an incident, and its chain leads from the sag to the rank that is waited for', async () => {
  const { incidents, core } = await incidentsOf([dump], { 'topo.csv': map, 'events.json': power });
  expect(incidents).toHaveLength(1);
  const [hang] = incidents as [Incident];
  expect(hang).toMatchObject({ affected_services: ['hang-rank5-protocol4'], harm: 'stalled', work: 'collectives' });
  expect(hang.impact).toMatchObject({ throughput_peak_rps: 0, p99_peak_ms: null });
  expect(hang.impact.throughput_baseline_rps).toBeGreaterThan(1);
  expect(chainOf(hang)).toEqual([
    'voltage_sag PDU-B',
    'psu_failover node-5',
    'xid_error node-5/GPU-0',
    'collective_stalled hang-rank5-protocol4/rank-5',
    'trace_degradation hang-rank5-protocol4',
  ]);
  expect(hang.hypotheses[0]).toMatchObject({ type: 'voltage_sag', subject: { kind: 'pdu', id: 'PDU-B' } });
  const [view] = await core.api['incidents.list']({});
  expect(view?.steps.at(-1)).toMatchObject({ type: 'job_stalled', device: 'hang-rank5-protocol4' });
  // What the window shows of it can be looked up.
  expect((await core.api['evidence.get']({ ref: view?.onset_ref ?? '' })).title).toContain('0 collectives/s');
});

test('without what lies under it, the rank itself is the lead, and no device is accused', async () => {
  const { incidents } = await incidentsOf([dump]);
  expect(incidents[0]?.hypotheses[0]?.subject).toEqual({ kind: 'rank', id: 'hang-rank5-protocol4/rank-5' });
});

test.each([
  ['gpu_error_1st', [12, 14]],
  ['lock_gil_1st', [9, 14]],
])(
  'of the recorded hang %s the ranks into which its makers put the fault are named, as one hypothesis',
  async (name, ranks) => {
    const { incidents } = await incidentsOf([sharedData(`nccl-fr/nvrx/${name}`)]);
    expect(incidents.map(({ harm }) => harm)).toEqual(['stalled']);
    const [hang] = incidents as [Incident];
    const [first, second] = hang.hypotheses as [Hypothesis, Hypothesis];
    const named = [first.subject, ...(first.also ?? [])].map((subject) => subject?.id);
    expect(named.toSorted()).toEqual(ranks.map((rank) => `${name}/rank-${rank}`).toSorted());
    expect(first.probability).toBeGreaterThan(5 * second.probability);
    // No rank is blamed for what another of them shows.
    expect(first.evidence.map(({ kind }) => kind)).not.toContain('leaves');
    expect(hang.causal_chain.at(-1)?.probability).toBeGreaterThan(0.7);
  },
);

test('what lies under two ranks that others wait for is first', async () => {
  const job = 'gpu_error_1st';
  const under = (rank: number) => `rank,${job}/rank-${rank},runs_on,gpu,n-3/GPU-${rank % 4}`;
  const links = [12, 13, 14, 15].flatMap((rank) => [under(rank), `server,n-3,contains,gpu,n-3/GPU-${rank % 4}`]);
  const failed = [12, 14].map((rank, i) => ({
    ...{ id: `x${rank}`, timestamp: `2025-09-23T06:55:0${4 + i}.000Z`, source: 'nvml', type: 'xid_error' },
    ...{ severity: 'critical', device_id: `n-3/GPU-${rank % 4}`, metadata: { xid: 79 }, raw_message: 'Xid 79' },
  }));
  const lost = { ...failed[0]!, id: 's', source: 'redfish', type: 'psu_failover', device_id: 'n-3', raw_message: 'x' };
  const { incidents } = await incidentsOf([sharedData(`nccl-fr/nvrx/${job}`)], {
    'topo.csv': ['from_kind,from_id,edge,to_kind,to_id', ...links].join('\n'),
    'events.json': JSON.stringify({ events: [{ ...lost, timestamp: '2025-09-23T06:55:03.000Z' }, ...failed] }),
  });
  expect(incidents[0]?.hypotheses[0]).toMatchObject({ type: 'psu_failover', subject: { id: 'n-3' } });
});

const line = (rank: number) =>
  `2026-05-01 14:${20 + rank}:00,000 - trainer - ERROR - [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600042 milliseconds before timing out.`;

test('dumps that are opened file by file are one hang', async () => {
  const ranks = Array.from({ length: 16 }, (_, rank) => sharedData(`nccl-fr/nvrx/gpu_error_1st/_dump_${rank}`));
  const { incidents, core } = await incidentsOf(ranks);
  expect(incidents.map(({ harm, affected_services }) => [harm, affected_services])).toEqual([['stalled', ['dump']]]);
  const { rows } = await core.api['query.sql']({
    sql: "select device_id from events where origin = 'derived' order by 1",
  });
  expect(rows).toEqual([['dump/rank-12'], ['dump/rank-14']]);
});

test('a log that is shorter than one interval measures no job: its operations do', async () => {
  const job = new LiveJob(4);
  const lines = Array.from({ length: 12 }, () => job.step());
  job.hang(2);
  const ranks = [0, 1, 2, 3];
  const { incidents } = await incidentsOf([], {
    ...Object.fromEntries(ranks.map((rank) => [`rank-${rank}.log`, lines.map((each) => each[rank]).join('')])),
    ...Object.fromEntries(ranks.map((rank) => [`nccl_trace_rank_${rank}`, job.dump(rank)])),
  });
  expect(incidents.map(({ harm }) => harm)).toEqual(['stalled']);
});

test('a watchdog alone shows when the job stopped: before its timeout began', async () => {
  const calm = '2026-05-01 14:00:00,000 - trainer - INFO - epoch 1 begins';
  const { incidents } = await incidentsOf([], {
    'trainer.log': [calm, line(0), line(1), calm.replace('00:00', '40:00')].join('\n'),
  });
  expect(incidents).toHaveLength(1);
  const [hang] = incidents as [Incident];
  expect(hang).toMatchObject({ harm: 'stalled', affected_services: ['rank-0'] });
  expect(hang.window_start.slice(0, 19)).toBe('2026-05-01T14:09:59');
  expect(hang.impact.throughput_baseline_rps).toBeNull();
});

/** A job of one rank by its facts: an operation each second but for a stall from 100 to 400 s. */
const facts = (until: number) => {
  const second = 1_000_000_000n;
  const slices = [...Array(100).keys(), ...Array.from({ length: Math.max(0, until - 400) }, (_, i) => 400 + i)];
  const span = { job: 2, first_ns: 0n, last_ns: BigInt(until > 400 ? until : 100) * second, width_ns: second };
  return {
    stallEvents: async () => [
      { entity: 1, type: 'collective_timeout' as const, event_id: 1, time_ns: 390n * second, waited_s: 290 },
    ],
    recordings: async () => [],
    collectiveProgress: async () => slices.map((slice) => ({ ...span, slice, operations: 1 })),
    entities: async () => [
      { entity_id: 1, canonical_id: 1, kind: 'rank' as const, id: 'j/rank-0' },
      { entity_id: 2, canonical_id: 2, kind: 'job' as const, id: 'j' },
    ],
    edges: async () => [
      { from_id: 1, kind: 'member_of' as const, to_id: 2, valid_from_ns: 0n, valid_to_ns: 2n ** 62n },
    ],
  } as unknown as Reader;
};

test.each([
  ['a stall that nothing ended', 100, false, 390],
  ['a stall after which operations were completed again', 600, true, 400],
])('%s', async (_, until, wentOn, end_s) => {
  const reader = facts(until);
  const [measured] = await collectiveMeasurements(reader);
  const [window] = await stalledJobs(reader, new Map([[2, measured!]]));
  expect(window).toMatchObject({ service: 2, harm: 'stalled', wentOn, baseline: { throughput: 1 } });
  expect([window!.onset_ns, window!.end_ns].map((time) => Number(time) / 1e9)).toEqual([100, end_s]);
  const zeros = measured!.time_ns.filter((_time, i) => measured!.throughput[i] === 0);
  expect(zeros.map((time) => Number(time) / 1e9)).toEqual([100, end_s]);
});

test('a stall that nothing ended lasts to the end of what was recorded meanwhile', async () => {
  const second = 1_000_000_000n;
  const recording = (first: bigint, last: bigint) => ({ name: 'a', first_ns: first * second, last_ns: last * second });
  const reader = {
    ...facts(100),
    stallEvents: async () => [
      { entity: 1, type: 'collective_stalled' as const, event_id: 1, time_ns: 100n * second, waited_s: 0 },
    ],
    // One of another day, and one whose clock is wrong.
    recordings: async () => [
      recording(0n, 100n),
      recording(50n, 700n),
      recording(90_000n, 99_000n),
      recording(0n, 10n ** 9n),
    ],
  };
  const [measured] = await collectiveMeasurements(reader);
  const [window] = await stalledJobs(reader, new Map([[2, measured!]]));
  expect(window).toMatchObject({ harm: 'stalled', onset_ns: 100n * second, end_ns: 700n * second });
});

test('a watchdog that states an impossible wait moves no onset', async () => {
  const { incidents } = await incidentsOf([], { 'trainer.log': line(0).replace('600042', '999999999999') });
  expect(incidents.map(({ window_start }) => window_start.slice(0, 16))).toEqual(['2026-05-01T14:20']);
});

test('without a record of the job, a rank whose GPU was lost is a lead and no incident', async () => {
  const core = await memoryCore();
  await core.import(['topo.csv', 'ev5.json'].map((name) => sharedData(`defects/hang/${name}`)));
  const { incidents, warnings } = await core.api.correlate({});
  expect(incidents).toEqual([]);
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /^rank-5 ran on node-5\/GPU-0, which was lost at 2026-01-01T00:00:29\.000Z: no recorded steps/,
    ),
  );
});
