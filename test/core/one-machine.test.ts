import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const GPU_0 = 'GPU-11111111-2222-3333-4444-555555555550';
const GPU_1 = 'GPU-11111111-2222-3333-4444-555555555551';
const SYSTEM = '4c4c4544-0042-4d10-8043-b7c04f4d3333';
const INSTANCE = 'i-0abc0003';
const at = String(1_767_225_600n * 1_000_000_000n);

const gauge = (resource: Record<string, unknown>, point: Record<string, string>) => ({
  resource: { attributes: attributes(resource) },
  scopeMetrics: [
    {
      metrics: [
        {
          name: 'hw.power',
          unit: 'W',
          gauge: { dataPoints: [{ timeUnixNano: at, asDouble: 1, attributes: attributes(point) }] },
        },
      ],
    },
  ],
});
const attributes = (of: Record<string, unknown>) =>
  Object.entries(of).map(([key, value]) => ({
    key,
    value: Array.isArray(value)
      ? { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
      : { stringValue: value },
  }));

/** One machine, node-3 with two GPUs, as seven tools that know nothing of each other describe it. */
const bundle: Record<string, unknown> = {
  'otlp.json': {
    resourceMetrics: [
      gauge(
        { 'host.name': 'node-3', 'host.id': SYSTEM, 'host.ip': ['10.0.0.3', '172.17.0.1', '127.0.0.1'] },
        { 'gpu.id': '0' },
      ),
      gauge({ 'host.name': 'node-3' }, { UUID: GPU_1, gpu: '1', pci_bus_id: '00000000:9C:00.0' }),
    ],
  },
  'kernel.log': [
    '2026-01-01T00:00:05.000000+00:00 node-3 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=python, GPU has fallen off the bus.',
    '2026-01-01T00:00:06.000000+00:00 node-3 kernel: NVRM: Xid (PCI:0000:9c:00): 45, pid=1, name=python, Ch 00000010',
    '',
  ].join('\n'),
  'dcgm.prom': [
    '# HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).',
    '# TYPE DCGM_FI_DEV_GPU_TEMP gauge',
    `DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="${GPU_0}",pci_bus_id="00000000:9B:00.0",device="nvidia0",modelName="NVIDIA H100",Hostname="ip-10-0-0-3"} 40`,
    `DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="${GPU_1}",pci_bus_id="00000000:9C:00.0",device="nvidia1",modelName="NVIDIA H100",Hostname="ip-10-0-0-3"} 41`,
    '',
  ].join('\n'),
  'nvidia-smi.csv': [
    'timestamp, index, uuid, pci.bus_id, power.draw [W]',
    `2026/01/01 00:00:00.000, 0, ${GPU_0}, 00000000:9B:00.0, 71.00 W`,
    `2026/01/01 00:00:00.000, 1, ${GPU_1}, 00000000:9C:00.0, 72.00 W`,
    '',
  ].join('\n'),
  'redfish/redfish/v1/index.json': {
    '@odata.id': '/redfish/v1/',
    '@odata.type': '#ServiceRoot.v1_9_0.ServiceRoot',
    Systems: { '@odata.id': '/redfish/v1/Systems' },
  },
  'redfish/redfish/v1/Systems/1/index.json': {
    '@odata.id': '/redfish/v1/Systems/1',
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    Id: '1',
    SerialNumber: 'SN-4711',
    UUID: SYSTEM.toUpperCase(),
    AssetTag: 'A-0003',
    PowerState: 'On',
  },
  'redfish/redfish/v1/Systems/1/Processors/GPU_0/index.json': {
    '@odata.id': '/redfish/v1/Systems/1/Processors/GPU_0',
    '@odata.type': '#Processor.v1_18_0.Processor',
    Id: 'GPU_0',
    ProcessorType: 'GPU',
    UUID: GPU_0.slice('GPU-'.length).toUpperCase(),
  },
  'node.json': {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'ip-10-0-0-3' },
    spec: { providerID: `aws:///us-east-1a/${INSTANCE}` },
    status: {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.3' },
        { type: 'Hostname', address: 'ip-10-0-0-3' },
      ],
      nodeInfo: { systemUUID: SYSTEM },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  },
  'aws.json': {
    version: '0',
    id: 'e-1',
    'detail-type': 'EC2 Instance State-change Notification',
    source: 'aws.ec2',
    account: '1',
    time: '2026-01-01T00:00:09Z',
    region: 'us-east-1',
    resources: [`arn:aws:ec2:us-east-1:1:instance/${INSTANCE}`],
    detail: { 'instance-id': INSTANCE, state: 'stopping' },
  },
  'nvsentinel.json': {
    healthevent: {
      version: 1,
      agent: 'gpu-health-monitor',
      componentclass: 'GPU',
      checkname: 'GpuPcieWatch',
      isfatal: true,
      ishealthy: false,
      message: 'gpu 0',
      recommendedaction: 2,
      errorcode: [],
      entitiesimpacted: [{ entitytype: 'GPU', entityvalue: '0' }],
      generatedtimestamp: { seconds: 1767225601, nanos: 0 },
      nodename: 'ip-10-0-0-3',
    },
    createdAt: '2026-01-01T00:00:01Z',
  },
};

async function importTree(core: TestCore, tree: Readonly<Record<string, unknown>>): Promise<void> {
  const folder = await temporaryFolder();
  for (const [path, content] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const events = await core.import([folder]);
  expect(events.filter(({ kind }) => kind === 'problem')).toEqual([]);
}

/** Entities of these kinds, one list of names per merged entity. */
async function entitiesOf(core: TestCore, ...kinds: string[]): Promise<string[][]> {
  const { rows } = await core.api['query.sql']({
    sql: `select list(e.kind || ':' || e.id order by e.kind, e.id) from canonical c join entity e using (entity_id)
          where e.kind in (${kinds.map((kind) => `'${kind}'`).join()}) group by c.canonical_id order by 1`,
  });
  return rows.map(([names]) => (typeof names === 'string' ? JSON.parse(names) : names) as string[]);
}
const machines = (core: TestCore) => entitiesOf(core, 'server', 'node', 'instance', 'device');

test('one machine under six names is one, and so is each of its GPUs, with reasons', async () => {
  const core = await memoryCore();
  await importTree(core, bundle);
  const all = await machines(core);
  expect(all).toHaveLength(1);
  expect(all[0]).toEqual(
    expect.arrayContaining(['server:node-3', 'node:ip-10-0-0-3', `instance:${INSTANCE}`, 'server:SN-4711']),
  );
  const gpus = await entitiesOf(core, 'gpu');
  expect(gpus).toHaveLength(2);
  expect(gpus.map((names) => names.filter((name) => name.startsWith('gpu:GPU-')))).toEqual([
    [`gpu:${GPU_0}`],
    [`gpu:${GPU_1}`],
  ]);
  const { merged } = await core.api['names.list']({});
  expect(merged.every(({ reason }) => reason !== '')).toBe(true);
  const named = new Set(merged.flatMap(({ one, other }) => [one.id, other.id]));
  for (const name of ['node-3', 'ip-10-0-0-3', INSTANCE, 'SN-4711', GPU_0, 'node-3/pci-0000:9b:00', 'node-3/gpu0'])
    expect(named, name).toContain(name);
});

const kernel = (host: string) =>
  `2026-01-01T00:00:05.000000+00:00 ${host} kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=python, GPU has fallen off the bus.\n`;
const uuidOf = (last: number) => `GPU-11111111-2222-3333-4444-55555555555${last}`;

test('what many machines have in common does not make them one', async () => {
  const core = await memoryCore();
  const serials = ['N/A', 'Not Specified', 'To be filled by O.E.M.', '0123456789', 'System Serial Number', ''];
  const nowhere = ['127.0.0.1', '::1', '172.17.0.1', '169.254.1.1', 'fe80::42:acff:fe11:2', '192.168.122.1'];
  const hosts = serials.map((_, i) => `node-${i}`);
  await importTree(core, {
    'otlp.json': {
      resourceMetrics: hosts.map((host, i) =>
        gauge(
          {
            'host.name': host,
            'host.ip': [`10.0.0.${i}`, ...nowhere],
            'hw.type': 'host',
            'hw.id': host,
            'hw.serial_number': serials[i],
          },
          { 'hw.type': 'power_supply', 'hw.id': 'psu-1' },
        ),
      ),
    },
    'gpus.json': {
      resourceMetrics: hosts.map((host) =>
        gauge({ 'host.name': host }, { 'gpu.id': '0', pci_bus_id: '00000000:9B:00.0' }),
      ),
    },
    'kernel.log': hosts.map(kernel).join(''),
    'nodes.json': {
      apiVersion: 'v1',
      kind: 'List',
      items: hosts.map((name) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name },
        status: {
          addresses: [
            { type: 'InternalIP', address: '127.0.0.1' },
            { type: 'Hostname', address: 'localhost' },
          ],
          nodeInfo: { systemUUID: '03000200-0400-0500-0006-000700080009' },
        },
      })),
    },
    ...Object.fromEntries(
      serials.flatMap((serial, i) =>
        ['N/A', serial].map((tag, j) => [
          `bmc-${i}-${j}.json`,
          {
            '@odata.id': `/redfish/v1/Systems/${i}${j}`,
            '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
            Id: `${i}${j}`,
            HostName: `node-${i}`,
            SerialNumber: serial,
            AssetTag: tag,
            UUID: '00000000-0000-0000-0000-000000000000',
          },
        ]),
      ),
    ),
  });
  expect(await machines(core)).toHaveLength(hosts.length);
  expect(await entitiesOf(core, 'gpu')).toHaveLength(hosts.length);
  expect(await entitiesOf(core, 'psu')).toHaveLength(hosts.length);
});

test('machines that call themselves localhost, and GPUs whose UUIDs were blanked, stay apart', async () => {
  const core = await memoryCore();
  const zero = 'GPU-00000000-0000-0000-0000-000000000000';
  const query = (bus: string) => `index, uuid, pci.bus_id, power.draw [W]\n0, ${zero}, 00000000:${bus}:00.0, 71.00 W\n`;
  await importTree(core, {
    'east.log': kernel('localhost'),
    'west.log': kernel('localhost.localdomain'),
    'first.csv': query('01'),
    'second.csv': query('02'),
    'third.json': { resourceMetrics: [gauge({ 'host.name': 'localhost' }, {})] },
  });
  expect(await machines(core)).toEqual([['server:east'], ['server:first'], ['server:second'], ['server:west']]);
  expect(await entitiesOf(core, 'gpu')).toHaveLength(4);
});

test('a GPU that took the place of another is another, whatever the place is called', async () => {
  const core = await memoryCore();
  const row = (uuid: string) => `index, uuid, pci.bus_id, power.draw [W]\n0, ${uuid}, 00000000:9B:00.0, 71.00 W\n`;
  const scrape = (uuid: string) =>
    `DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="${uuid}",pci_bus_id="00000000:9B:00.0",device="nvidia0",Hostname="node-3"} 40\n`;
  await importTree(core, {
    'before.prom': scrape(uuidOf(0)),
    'after.prom': scrape(uuidOf(1)),
    'after.csv': row(uuidOf(1)),
    'kernel.log': kernel('node-3'),
  });
  const gpus = await entitiesOf(core, 'gpu');
  expect(gpus).toHaveLength(2);
  expect(gpus.flat()).toContain('gpu:node-3/pci-0000:9b:00');
});
