import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLine } from '../../src/main/sources/kernel-log/line.ts';
import { kernelMarks, readLogBody } from '../../src/main/sources/log-events/log-body.ts';
import { NeedleSearch } from '../../src/main/sources/log-events/needle-search.ts';
import { needles, readLogText } from '../../src/main/sources/log-events/read-log-text.ts';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

const kernelLines = (): string[] =>
  readFileSync(sharedData('kernel-logs/xid-line-oracle.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((text) => parseLine((JSON.parse(text) as { line: string }).line).message);

const logs = (host: string, bodies: readonly unknown[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'host.name', value: { stringValue: host } }] },
      scopeLogs: [
        {
          logRecords: bodies.map((body, i) => ({
            timeUnixNano: String(1_777_644_600_000_000_000n + BigInt(i) * 60_000_000_000n),
            body,
          })),
        },
      ],
    },
  ],
});
const text = (stringValue: string) => ({ stringValue });

test('a driver line states the same event in a kernel log and in any other log', () => {
  const lines = kernelLines();
  const stated = lines.filter((line) => readLogText(line, 'kernel')?.type === 'xid_error');
  expect(stated.length).toBeGreaterThan(5);
  for (const line of stated) expect(readLogText(line, 'unknown'), line).toEqual(readLogText(line, 'kernel'));
});

test('the search for needles skips no record that states an event', () => {
  const search = new NeedleSearch([...needles, ...kernelMarks]);
  const isFound = (line: string): boolean => {
    const bytes = new TextEncoder().encode(`x${line}`);
    return search.isIn(bytes, 1, bytes.length);
  };
  const own = readFileSync(join(import.meta.dirname, '../../fixtures/kernel-log/kmsg.1.log'), 'utf8').split('\n');
  const stated = [...kernelLines(), ...own].filter(
    (line) => readLogText(parseLine(line).message, 'unknown') !== undefined,
  );
  expect(stated.length).toBeGreaterThan(10);
  expect(stated.filter((line) => !isFound(line))).toEqual([]);
  for (const needle of needles) {
    expect(isFound(needle), needle).toBe(true);
    expect(isFound(needle.slice(0, -1)), needle).toBe(needles.some((other) => needle.slice(0, -1).includes(other)));
  }
});

test('a needle that begins inside another one is found, and none across the end', () => {
  const search = new NeedleSearch(['abcd', 'bcx']);
  const isIn = (line: string, end = line.length) => search.isIn(new TextEncoder().encode(line), 0, end);
  expect(isIn('zabcx')).toBe(true);
  expect(isIn('zabcd')).toBe(true);
  expect(isIn('zabcd', 4)).toBe(false);
  expect(isIn('')).toBe(false);
});

test.each([
  ['NVRM: Xid (PCI:0000:3b:00): 79', { text: 'NVRM: Xid (PCI:0000:3b:00): 79', writer: 'unknown' }],
  ['<4>Oct 11 22:14:15 node-1 kernel: [12.5] eth0: link down', { text: 'eth0: link down', writer: 'kernel' }],
  ['{"_TRANSPORT":"kernel","MESSAGE":"eth0: link down"}', { text: 'eth0: link down', writer: 'kernel' }],
  ['{"msg":"CUDA out of memory"}', { text: 'CUDA out of memory', writer: 'unknown' }],
  ['<4>Oct 11 22:14:15 node-1 evil[7]: NVRM: Xid', { text: 'NVRM: Xid', writer: 'program' }],
  ['{"SYSLOG_IDENTIFIER":"evil","_TRANSPORT":"syslog","MESSAGE":"NVRM"}', { text: 'NVRM', writer: 'program' }],
  ['torch: CUDA out of memory', { text: 'torch: CUDA out of memory', writer: 'unknown' }],
  ['{"msg":', { text: '{"msg":', writer: 'unknown' }],
])('the message in a body is read: %s', (body, wanted) => {
  expect(readLogBody(body)).toEqual(wanted);
});

test('a program that prints the words of a driver forges no event', () => {
  const line = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.';
  expect(readLogText(line, 'program')).toBeUndefined();
  expect(readLogText(line, 'unknown')?.type).toBe('xid_error');
  expect(readLogText('CUDA out of memory', 'program')?.type).toBe('gpu_out_of_memory');
});

test('a hostile text costs no time', () => {
  const long = 'a'.repeat(5_000_000);
  expect(readLogText(`${long}\nDataLoader worker (pid 3) is killed`, 'unknown')?.message).toBe(
    'DataLoader worker (pid 3) is killed',
  );
  expect(readLogText(`${long} No space left on device ${long}`, 'unknown')?.message.length).toBeLessThan(2100);
  expect(readLogText('NVRM: nvlink '.repeat(400_000), 'kernel')).toBeUndefined();
  expect(readLogText('EDAC '.repeat(1_000_000), 'kernel')).toBeUndefined();
  expect(readLogBody(`T${long}: x`).writer).toBe('unknown');
});

test('texts that only look like an event state none', () => {
  for (const line of [
    'inotify: No space left on device',
    'the link is down: see the page on eth0',
    'out of memory budget for today',
    'docs: what NVRM: Xid (PCI means',
  ])
    expect(readLogText(line, 'unknown'), line).toBeUndefined();
});

test('kernel lines, a watchdog and a journal entry in OTLP logs are events of the GPU, the machine and the rank', async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/xid/kernel-lines-as-otlp-logs.json')]);
  const { rows } = await core.api['query.sql']({
    sql: "select type, device_id, details from events where type in ('xid_error', 'collective_timeout') order by time_ns",
  });
  expect(rows).toEqual([
    ['xid_error', 'GPU-cccccccc-0000-0000-0000-000000000003', '{"xid":79}'],
    ['collective_timeout', 'job-7/rank-3', '{"operation":"ALLREDUCE","waited_s":600.029}'],
    ['xid_error', 'node-4/pci-0000:5e:00', '{"xid":94}'],
  ]);
  const { findings } = await core.api['patterns.list']({});
  expect(findings.map(({ pattern }) => pattern).sort()).toEqual([
    'collective-hang',
    'gpu-off-bus',
    'memory-fault',
    'pod-eviction',
  ]);
});

test('each log record states its event once, and events that Faultline exported are not read twice', async () => {
  const core = await memoryCore();
  await core.importJson(
    logs('node-1', [
      text('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'),
      text('step 12 done'),
      text('<6>Oct 11 22:14:15 node-1 kernel: mlx5_core 0000:5e:00.0 eth2: Link down'),
      text('mlx5_core 0000:5e:00.0 eth2: Link down'),
      {
        kvlistValue: {
          values: [
            { key: 'MESSAGE', value: text('eth3: Link down') },
            { key: '_TRANSPORT', value: text('kernel') },
          ],
        },
      },
    ]),
  );
  const { rows } = await core.api['query.sql']({ sql: 'select type, device_id, origin from events order by time_ns' });
  expect(rows).toEqual([
    ['gpu_out_of_memory', 'node-1', 'otlp'],
    ['link_down', 'node-1/eth2', 'kernel'],
    ['link_down', 'node-1/eth3', 'kernel'],
  ]);
});

test('Kubernetes events and objects from the receivers of a collector are events as from kubectl', async () => {
  const core = await memoryCore();
  await core.import([
    sharedData('defects/xid/kernel-lines-as-otlp-logs.json'),
    sharedData('defects/kubernetes/k8s.json'),
  ]);
  const { rows } = await core.api['query.sql']({
    sql: "select distinct type, device_id, details from events where origin = 'kubernetes' order by type",
  });
  expect(rows).toEqual([
    ['node_condition', 'node-3', '{"qualifiers":["resource_pressure"]}'],
    ['pod_evicted', 'train/trainer-3', '{"qualifiers":["resource_pressure"],"resource":"memory"}'],
  ]);
  const { findings } = await core.api['patterns.list']({});
  // The condition of the node is in the case: nothing is missing.
  expect(findings.find(({ pattern }) => pattern === 'pod-eviction')?.missing).toEqual([]);
});
