import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import snmp from 'net-snmp';
import { onTestFinished } from 'vitest';
import { cloudService } from './cloud-service.ts';
import { temporaryFolder } from './core.ts';
import { fakeNvml, healthy } from './fake-nvml.ts';
import { redfishService, treeIn } from './redfish-service.ts';
import { agentOn, GAUGE32, ObjectTable, OCTETS, TICKS, type Value } from './snmp-agent.ts';

/** Something real for one kind of feed to ask or to hear. */
export interface FeedDevice {
  /** Plan options besides `kind` and `name`. */
  readonly plan: Readonly<Record<string, unknown>>;
  /** Times that its records state themselves, seconds since 1970; none: it states none. */
  readonly stated_s?: readonly number[];
  /** Its rows come again and again. */
  readonly recurs?: boolean;
  /** Something that is heard once more. */
  happen?(): Promise<void>;
}

const STATED_S = Date.UTC(2026, 2, 1, 10) / 1000;
const STATED = new Date(STATED_S * 1000).toISOString().replace('.000', '');
const FIXTURES = join(import.meta.dirname, '../../fixtures');

/** A secret and credentials that no service of these tests looks at. */
export const deviceEnvironment = {
  AWS_ACCESS_KEY_ID: 'AKIATESTTESTTEST',
  AWS_SECRET_ACCESS_KEY: 'a-secret-key-of-the-test',
  AWS_EC2_METADATA_DISABLED: 'true',
  TEST_AZURE_TOKEN: 'given-token',
  METADATA_SERVER_DETECTION: 'none',
} as const;

/** A device for every kind of feed; a kind without one has an untested clock. */
export const feedDevices: Readonly<Record<string, () => Promise<FeedDevice>>> = {
  aws: async () => {
    const { url } = await cloudService(({ headers }) => {
      const operation = String(headers['x-amz-target']).split('.')[1];
      const arn = 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_POWER_ISSUE/2';
      const event = { arn, service: 'EC2', eventTypeCode: 'AWS_EC2_POWER_ISSUE', region: 'us-east-1' };
      const state = { eventTypeCategory: 'issue', statusCode: 'open', startTime: STATED_S, lastUpdatedTime: STATED_S };
      if (operation === 'DescribeEvents') return { body: { events: [{ ...event, ...state }] } };
      if (operation === 'DescribeEventDetails') return { body: { successfulSet: [] } };
      return { body: { entities: [{ eventArn: arn, entityValue: 'i-0123456789abcdef0' }] } };
    });
    return { plan: { region: 'us-east-1', every_s: 1, endpoint: url }, stated_s: [STATED_S] };
  },
  azure: async () => {
    const vm = '/subscriptions/00000000-0000-4000-8000-000000000001/resourcegroups/g/providers/microsoft.compute';
    const id = `${vm}/virtualmachines/gpu-vm-1/providers/Microsoft.ResourceHealth/availabilityStatuses/current`;
    const properties = { availabilityState: 'Unavailable', reasonType: 'Unplanned', occuredTime: STATED };
    const { url } = await cloudService(({ url: path }) => ({
      body: { value: path.includes('/events?') ? [] : [{ id, properties }] },
    }));
    const subscription = vm.split('/')[2];
    return {
      plan: { subscription, every_s: 1, token: 'env:TEST_AZURE_TOKEN', endpoint: url },
      stated_s: [STATED_S],
    };
  },
  'flight-recorder': async () => {
    const folder = await temporaryFolder();
    const entry = { record_id: 0, process_group: ['0', 'default_pg'], collective_seq_id: 1, state: 'completed' };
    const times = { time_created_ns: STATED_S * 1e9, time_discovered_completed_ns: STATED_S * 1e9 };
    const dump = { pg_config: {}, pg_status: {}, entries: [{ ...entry, ...times, profiling_name: 'nccl:all_reduce' }] };
    await writeFile(join(folder, 'nccl_trace_rank_0'), JSON.stringify(dump));
    return { plan: { folder, every_s: 0.1 }, stated_s: [STATED_S] };
  },
  gcp: async () => {
    let state = 'NONE';
    let etag = 1;
    const { url } = await cloudService(({ url: path }) => {
      const headers = { 'metadata-flavor': 'Google', etag: `e${etag}` };
      if (path.endsWith('/instance/id')) return { body: '7788', headers };
      if (path.endsWith('/instance/name')) return { body: 'gpu-node-3', headers };
      return { body: state, headers, delay_ms: path.includes(`last_etag=e${etag}`) ? 200 : 0 };
    });
    const happen = async () => {
      state = state === 'NONE' ? 'MIGRATE_ON_HOST_MAINTENANCE' : 'NONE';
      etag++;
    };
    return { plan: { metadata_endpoint: url, every_s: 1, timeout_s: 2 }, happen };
  },
  'kernel-log': async () => {
    const path = join(await temporaryFolder(), 'kmsg');
    execFileSync('mkfifo', [path]);
    const pipe = await open(path, 'r+');
    onTestFinished(() => pipe.close());
    let sequence = 0;
    const happen = async () => {
      const uptime_us = process.hrtime.bigint() / 1000n;
      await pipe.write(`4,${sequence++},${uptime_us},-;NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off\n`);
    };
    return { plan: { path, every_s: 0.1, host: 'node-3' }, happen };
  },
  kubernetes: async () => {
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: STATED, message: 'kubelet' };
    const status = { conditions: [condition], nodeInfo: { kubeletVersion: 'v1.31.0' } };
    const node = { metadata: { name: 'n1', uid: 'u1', resourceVersion: '1' }, status };
    const { url } = await cloudService(({ url: path }) => {
      const isNodes = path.includes('/nodes');
      const body = { kind: isNodes ? 'NodeList' : 'PodList', apiVersion: 'v1', metadata: {}, items: [node] };
      return { body: isNodes ? body : { ...body, items: [] } };
    });
    return { plan: { url, every_s: 5 }, stated_s: [STATED_S] };
  },
  'log-tail': async () => {
    const folder = await temporaryFolder();
    const happen = () => appendFile(join(folder, 'a.log'), `${STATED} INFO trainer: step\n`);
    return { plan: { folder, every_s: 0.1 }, stated_s: [STATED_S], happen };
  },
  'nvidia-topology': async () => {
    const program = join(await temporaryFolder(), 'nvidia-smi');
    const [list, topology] = ['list.txt', 'topo.txt'].map((name) => join(FIXTURES, 'nvidia-topology', name));
    await writeFile(program, `#!/bin/sh\n[ "$1" = -L ] && cat '${list}' || cat '${topology}'\n`);
    await chmod(program, 0o755);
    return { plan: { nvidia_smi: program, host: 'node-3' } };
  },
  nvml: async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 1', ...healthy(0));
    return { plan: { library: driver.library, every_s: 0.2, host: 'node-3' }, recurs: true };
  },
  otlp: async () => {
    const port = await freePort();
    const point = (time_s: number) => ({ asDouble: 1, timeUnixNano: `${time_s}000000000` });
    let time_s = STATED_S;
    const happen = async () => {
      const metrics = [{ name: 'queue.depth', gauge: { dataPoints: [point(time_s++)] } }];
      const body = JSON.stringify({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] });
      const headers = { 'content-type': 'application/json' };
      await fetch(`http://127.0.0.1:${port}/v1/metrics`, { method: 'POST', headers, body });
    };
    return { plan: { grpc: null, http: `127.0.0.1:${port}` }, stated_s: [STATED_S, STATED_S + 1], happen };
  },
  prometheus: async () => {
    const { url } = await cloudService(() => ({ body: '# TYPE node_load1 gauge\nnode_load1 3\n' }));
    return { plan: { url: `${url}/metrics`, every_s: 1, device: 'node-3' }, recurs: true };
  },
  rapl: async () => {
    const root = join(await temporaryFolder(), 'powercap');
    const zone = join(root, 'intel-rapl:0');
    await mkdir(zone, { recursive: true });
    const files = { name: 'package-0', max_energy_range_uj: '262143328850', energy_uj: '5' };
    for (const [name, text] of Object.entries(files)) await writeFile(join(zone, name), `${text}\n`);
    const work = () => writeFileSync(join(zone, 'energy_uj'), `${Math.round(performance.now() * 1000)}\n`);
    const working = setInterval(work, 20);
    onTestFinished(() => clearInterval(working));
    return { plan: { root, every_s: 0.2, host: 'node-3' }, recurs: true };
  },
  redfish: async () => {
    // Logs and some sensors of the recording state times of the day of the recording.
    const undated = /^\/redfish\/v1\/Chassis(\/1U(\/Power|\/Thermal)?)?$/;
    const tree = [...treeIn(join(FIXTURES, 'redfish/rackmount'))].filter(([id]) => undated.test(id));
    const { url } = await redfishService(new Map(tree));
    return { plan: { url, every_s: 1, most_requests_per_s: 1000 }, recurs: true };
  },
  snmp: async () => {
    const values = new Map<string, () => Value>([
      ['1.3.6.1.2.1.1.3.0', () => ({ tag: TICKS, value: Math.round(performance.now() / 10) })],
      ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: 'ups-a' })],
      ['1.3.6.1.2.1.33.1.4.4.1.4.1', () => ({ tag: GAUGE32, value: 4200 })],
    ]);
    const table = new ObjectTable(values);
    const agent = await agentOn((operation, reply) => reply(table.answer(operation)));
    onTestFinished(() => agent.close());
    return { plan: { host: '127.0.0.1', port: agent.port, every_s: 0.2 }, recurs: true };
  },
  'snmp-traps': async () => {
    const port = await freeUdpPort();
    const happen = () =>
      new Promise<void>((resolve, reject) => {
        const session = snmp.createSession('127.0.0.1', 'public', { version: snmp.Version2c, trapPort: port });
        session.trap('1.3.6.1.2.1.33.2.1', [], {}, (error) => {
          session.close();
          if (error) reject(error);
          else resolve();
        });
      });
    return { plan: { listen: `127.0.0.1:${port}` }, happen };
  },
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
