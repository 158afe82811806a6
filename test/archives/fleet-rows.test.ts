import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gpuDevices, gpuMeasures } from '../../src/core/fleet/gpu-names.ts';
import { exporters } from '../../src/main/sources/series-meaning/exporters/all.ts';
import { meaningOf } from '../../src/main/sources/series-meaning/meaning.ts';
import type { Output } from '../../src/model/contract/index.ts';
import { pulled, pullingCore } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { clickhouse, hasClickHouse, run } from '../support/clickhouse.ts';
import { faultlineHere } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { FLEET_FROM_NS, fleetSchemaOptions } from '../support/fleet-statements.ts';

const MINUTE_NS = 60_000_000_000n;
const from_ns = FLEET_FROM_NS;
const until_ns = from_ns + 60n * MINUTE_NS;
const instant = (minute: number): string =>
  `fromUnixTimestamp64Nano(${from_ns + BigInt(Math.round(minute * 60)) * 1_000_000_000n}, 'UTC')`;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const map = (members: Readonly<Record<string, string>>): string =>
  `map(${Object.entries(members)
    .flatMap(([key, value]) => [text(key), text(value)])
    .join(', ')})`;

interface Line {
  readonly minute: number;
  readonly body: string;
  readonly host?: string;
  readonly severity?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** What kernels, agents and Kubernetes write around minute 30, and far from it. */
const lines: readonly Line[] = [
  { minute: 5, body: 'NVRM: Xid (PCI:0000:17:00): 31, pid=1, name=python, Ch 00000008', host: 'node-9' },
  { minute: 29, body: 'kernel: NVRM: Xid (PCI:0000:17:00): 79, pid=77, GPU has fallen off the bus.', host: 'node-2' },
  { minute: 29.5, body: 'Out of memory: Killed process 4242 (python) total-vm:1kB, anon-rss:1kB', host: 'node-2' },
  { minute: 30, body: 'heartbeat of a program that says nothing', host: 'node-2' },
  {
    minute: 30.2,
    body: 'Back-off restarting failed container main in pod llm-0',
    severity: 13,
    attributes: {
      'k8s.event.reason': 'BackOff',
      'k8s.event.uid': 'e-1',
      'k8s.object.kind': 'Pod',
      'k8s.object.name': 'llm-0',
      'k8s.namespace.name': 'prod',
    },
  },
  {
    minute: 31,
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { uid: 'e-2', namespace: '' },
      involvedObject: { kind: 'Node', name: 'node-2' },
      reason: 'NodeNotReady',
      message: 'Node node-2 status is now: NodeNotReady',
      type: 'Warning',
      lastTimestamp: '2026-05-01T14:31:00Z',
    }),
  },
  { minute: 33, body: 'nfs: server 10.0.0.9 not responding, still trying', host: 'node-3' },
];

const insertLine = ({ minute, body, host, severity = 9, attributes = {} }: Line): string =>
  `INSERT INTO fleet.otel_logs (Timestamp, SeverityNumber, ServiceName, ResourceAttributes, LogAttributes, Body)
   SELECT ${instant(minute)}, ${severity}, 'agent', ${map({ 'service.name': 'agent', ...(host && { 'host.name': host }) })},
   CAST(${Object.keys(attributes).length > 0 ? map(attributes) : 'map()'} AS Map(LowCardinality(String), String)), ${text(body)}`;

/** A value every 15 s: `i` is the number of the sample, `m` its minute. */
interface Series {
  readonly table: 'gauge' | 'sum';
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resource?: Readonly<Record<string, string>>;
  readonly value: string;
}

const dcgm = (host: string, gpu: number): Readonly<Record<string, string>> => ({
  Hostname: host,
  gpu: String(gpu),
  UUID: `GPU-${host}-${gpu}`,
});
const ofDcgm = (host: string, gpu: number): Series[] => {
  const isBad = host === 'node-2' && gpu === 1;
  const labels = dcgm(host, gpu);
  return [
    { table: 'gauge', metric: 'DCGM_FI_DEV_GPU_UTIL', labels, value: `90 + i % 7` },
    { table: 'gauge', metric: 'DCGM_FI_DEV_GPU_TEMP', labels, value: `50 + (i * 7919 % 101) / 10 + ${gpu}` },
    {
      table: 'gauge',
      metric: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS',
      labels,
      value: isBad ? 'if(i between 101 and 120, if(i % 2 = 0, 64, 1), 1)' : '1',
    },
    {
      table: 'gauge',
      metric: 'DCGM_FI_DEV_XID_ERRORS',
      labels,
      value: isBad ? 'multiIf(i < 110, 0, i < 150, 79, 31)' : '0',
    },
    {
      table: 'sum',
      metric: 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL',
      labels,
      // The machine starts again: the counter, too.
      value: isBad ? 'multiIf(i < 100, 5, i < 200, 5 + intDiv(i - 100, 40), 1)' : '0',
    },
    { table: 'sum', metric: 'DCGM_FI_DEV_ECC_SBE_VOL_TOTAL', labels, value: `i * ${gpu}` },
  ];
};
const series: readonly Series[] = [
  ...['node-1', 'node-2'].flatMap((host) => [0, 1].flatMap((gpu) => ofDcgm(host, gpu))),
  {
    table: 'gauge',
    metric: 'nvidia_smi_temperature_gpu',
    labels: { uuid: 'GPU-node-4-0', hostname: 'node-4' },
    value: '88',
  },
  // Of a machine, and not of a GPU.
  { table: 'gauge', metric: 'node_hwmon_temp_celsius', labels: { instance: 'node-1:9100', chip: 'x' }, value: '99' },
];
const insertSeries = ({ table, metric, labels, resource = {}, value }: Series): string =>
  `INSERT INTO fleet.otel_metrics_${table} (ResourceAttributes, ServiceName, MetricName, Attributes, TimeUnix, Value${table === 'sum' ? ', AggregationTemporality, IsMonotonic' : ''})
   SELECT ${map({ 'service.name': 'exporter', ...resource })}, 'exporter', '${metric}', ${map(labels)},
   fromUnixTimestamp64Nano(toInt64(${from_ns}) + i * 15000000000, 'UTC'), ${value}${table === 'sum' ? ', 2, true' : ''}
   FROM (SELECT number AS i FROM numbers(240))`;

test.skipIf(!hasClickHouse())('events and GPUs of an archive are those of a case with its rows', async () => {
  const url = await clickhouse();
  const { out } = await faultlineHere('archive', 'init', 'clickhouse', ...fleetSchemaOptions);
  const { statements } = JSON.parse(out) as { readonly statements: readonly string[] };
  for (const sql of [...statements, ...lines.map(insertLine), ...series.map(insertSeries)]) await run(url, sql);
  const plan = `kind: clickhouse\nurl: ${url}\ndatabase: fleet\nrequests_per_s: 1000\n`;
  const core = await pullingCore();
  await pulled(core, { plan: `${plan}metrics: []\n`, from_ns, until_ns });

  const at_ns = from_ns + 30n * MINUTE_NS;
  const near = await core.api['fleet.events']({ plan, at_ns, around_s: 120 });
  const own = await sqlRows(
    core,
    `select time_ns, entity_kind || ':' || device_id, type, severity, message from events
       where time_ns between ${at_ns - 2n * MINUTE_NS} and ${at_ns + 2n * MINUTE_NS} order by time_ns`,
  );
  const asRow = ({ time_ns, entity, type, severity, message }: Output<'fleet.events'>['events'][number]) => [
    String(time_ns),
    entity,
    type,
    severity,
    message,
  ];
  expect(near.events.map(asRow)).toEqual(own);
  expect([near.found, own.length]).toEqual([4, 4]);
  expect((await core.api['fleet.events']({ plan, at_ns, around_s: 3600 })).found).toBe(6);
  const [nearest] = (await core.api['fleet.events']({ plan, at_ns, limit: 1 })).events;
  expect(nearest?.message).toContain('Back-off');
  const where = "ResourceAttributes['host.name'] = 'node-3'";
  expect((await core.api['fleet.events']({ plan, at_ns, where })).events.map(({ type }) => type)).toHaveLength(1);

  await pulled(core, { plan: `${plan}traces: null\nlogs: null\n`, from_ns, until_ns });
  const { hosts, gpus } = await core.api['fleet.gpus']({ plan, from_ns, until_ns, buckets: 12 });
  expect(hosts.map((one) => [one.host, one.gpus])).toEqual([
    ['node-2', 2],
    ['node-1', 2],
    ['node-4', 1],
  ]);
  const [bad] = gpus;
  expect(bad).toMatchObject({ host: 'node-2', xids: 2, ecc_uncorrected: 3, ecc_corrected: 239 });
  // Two of twelve parts: samples 100 to 119 and 120.
  expect([bad?.throttled, hosts[0]?.throttled, hosts[1]?.throttled]).toEqual([2 / 12, 1 / 12, 0]);
  expect(hosts[0]?.heat.throttled.map((share) => share! * 2)).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
  const measured = await sqlRows(
    core,
    `select entity, max(value) filter (metric = 'hw.temperature'), median(lowest) from (
         select *, min(value) filter (metric = 'hw.gpu.utilization') over (partition by entity, (time_ns - ${from_ns}) // ${5n * MINUTE_NS}) as lowest
         from metrics where entity_kind = 'gpu')
       group by entity order by entity`,
  );
  const figures = gpus.map(({ gpu, temperature, utilization }) => [gpu, temperature, utilization]);
  expect(figures.sort()).toEqual(measured);
  const node1 = await core.api['fleet.gpus']({ plan, from_ns, until_ns, where: "Attributes['Hostname'] = 'node-1'" });
  expect(node1.hosts.map(({ host }) => host)).toEqual(['node-1']);
  await printsAnswers(plan);
});

async function printsAnswers(plan: string): Promise<void> {
  const file = join(await temporaryFolder(), 'fleet.yaml');
  await writeFile(file, plan);
  const time = ['--from', '2026-05-01T14:00:00Z', '--to', '2026-05-01T15:00:00Z'];
  const { out: gpus } = await faultlineHere('fleet', file, 'gpus', ...time, '--buckets', '12');
  expect(gpus.split('\n')[1]).toMatch(/^node-2 +2 +2 +3 +239 +8\.3 +61 +90 +\|\.{5}▄▄\.{5}\|$/);
  const at = ['--at', '2026-05-01T14:30:00Z', '--around', '2m'];
  const { out: events } = await faultlineHere('fleet', file, 'events', ...at);
  expect(events.split('\n')[1]).toMatch(/^ *-60\.000 s +2026-05-01T14:29:00\S* +critical +gpu:\S+ +xid/);
  expect((await faultlineHere('fleet', file, 'events', ...at, '--limit', '2')).out).toContain(
    'the nearest 2 of 4 events are shown',
  );
  const wrong = await faultlineHere('fleet', file, 'gpus', ...time, '--where', 'no_such_column = 1');
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('no_such_column')]);
  const missing = await faultlineHere('fleet', file, 'events', ...time);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('--at is missing')]);
}

test('names of all exporters whose metrics are figures of GPUs are asked for', () => {
  const wanted = /^(?:hw\.gpu\.(?:utilization|xid|ecc\.\w+|clocks_event_reasons|throttle\.\w+)|gpu\.throttle\.\w+)$/;
  const names = exporters.flatMap(({ names: own }) => own);
  const figures = names.filter((name) => {
    const labels = new Map([['gpu', '0']]);
    const surroundings = { host: 'node-1', fallback: () => ({ kind: 'device' as const, id: 'x' }) };
    const { metric } = meaningOf({ name, labels, type: 'unknown', unit: '', help: '' }, surroundings);
    return wanted.test(metric);
  });
  expect(figures.length).toBeGreaterThan(20);
  const isAsked = (name: string): boolean =>
    new RegExp(gpuDevices).test(name.toLowerCase()) && new RegExp(gpuMeasures).test(name.toLowerCase());
  expect(figures.filter((name) => !isAsked(name))).toEqual([]);
});
