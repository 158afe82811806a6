import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nvidiaTopology } from '../../src/main/sources/nvidia-topology/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../fixtures/nvidia-topology', name), 'utf8');
const edges = ({ rows }: Reading): string[] =>
  rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity} (${row.provenance})`);
const detects = (text: string) => nvidiaTopology.detect(new FileHead(Buffer.from(text)));

test('a matrix: NVLinks between GPUs, network cards next to them, all inside the machine', async () => {
  const reading = await readSource(nvidiaTopology, fixture('topo.txt'), { assume: { device: 'node-1' } });
  const reported = edges(reading);
  expect(reported.filter((edge) => edge.includes('NV12'))).toHaveLength(4 * 3);
  expect(reported.filter((edge) => edge.startsWith('nic:'))).toEqual([
    'nic:node-1/mlx5_0 connects gpu:node-1/gpu0 (nvidia-smi topo: PIX)',
    'nic:node-1/mlx5_0 connects gpu:node-1/gpu1 (nvidia-smi topo: PXB)',
    'nic:node-1/mlx5_1 connects gpu:node-1/gpu2 (nvidia-smi topo: PXB)',
    'nic:node-1/mlx5_1 connects gpu:node-1/gpu3 (nvidia-smi topo: PIX)',
  ]);
  expect(reported.filter((edge) => edge.startsWith('server:node-1 contains'))).toHaveLength(7);
  expect(JSON.parse(reading.entities.get('gpu:node-1/gpu2')?.attributes ?? '{}')).toEqual({
    cpu_affinity: '32-63,96-127',
    numa_affinity: '1',
  });
  // 4 GPUs with the bonded card, 2 GPUs with the other side's card, twice, and 3 pairs of cards.
  expect(reading.remarks).toEqual(['left out: 11 pairs of devices related by SYS only']);
  expect(reasonsOf(reading)).toEqual([]);
});

test('without escape codes, tabs or a name of the machine', async () => {
  const copied = fixture('topo.txt').replaceAll('\x1b[4m', '').replaceAll('\x1b[0m', '').replaceAll('\t', '      ');
  expect(detects(copied)).toBe(true);
  const reading = await readSource(nvidiaTopology, copied, { name: 'dumps/node-7.txt' });
  const whole = await readSource(nvidiaTopology, fixture('topo.txt'), { assume: { device: 'node-7' } });
  expect(edges(reading)).toEqual(edges(whole));
  expect(reading.remarks).toContain('the matrix does not name its machine: called "node-7" after the file');
});

test('old drivers name the cards in the columns and know no NUMA affinity', async () => {
  const old =
    '        GPU0    GPU1    mlx5_0  CPU Affinity\nGPU0     X      SOC     PIX     0-9,20-29\nGPU1    SOC      X      PHB     0-9,20-29\nmlx5_0  PIX     PHB      X\n';
  expect(detects(old)).toBe(true);
  const reading = await readSource(nvidiaTopology, old, { assume: { device: 'h' } });
  expect(edges(reading).filter((edge) => edge.includes('connects'))).toEqual([
    'nic:h/mlx5_0 connects gpu:h/gpu0 (nvidia-smi topo: PIX)',
  ]);
  expect(reading.remarks).toHaveLength(2);
});

test('the state of every NVLink, as of the recording', async () => {
  const reading = await readSource(nvidiaTopology, fixture('nvlink-status.a100.txt'));
  const states = samplesOf(reading).filter(({ metric }) => metric === 'hw.link.state');
  expect(states).toHaveLength(8 * 12);
  expect(new Set(states.map(({ value }) => value))).toEqual(new Set([1]));
  expect(states[0]).toMatchObject({
    entity: 'nvlink:GPU-5269b708-678a-b1a8-60f0-c90406537486/link0',
    time_ns: CAPTURED_NS,
  });
  expect(samplesOf(reading).find(({ metric }) => metric.endsWith('speed'))).toMatchObject({ value: 25, unit: 'GB/s' });
  expect(reading.remarks.join()).toContain('2026-01-01T00:00:00.000Z (file time)');
  // The UUIDs do without a machine; its name would only be the file's.
  expect([...reading.entities.keys()].filter((key) => key.startsWith('server'))).toEqual([]);
});

test('links that are down, error counters, and slices', async () => {
  const gpu = 'GPU 3: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n';
  const text = `${gpu}\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n${gpu}\t Link 0: Replay Errors: 7\n\t Link 0: strange\n`;
  const reading = await readSource(nvidiaTopology, text, { assume: { device: 'h' } });
  expect(samplesOf(reading).map(({ entity, metric, value }) => `${entity} ${metric} ${value}`)).toEqual([
    'nvlink:GPU-1/link0 hw.link.state 1',
    'nvlink:GPU-1/link0 nvidia_smi.nvlink.speed 26.562',
    'nvlink:GPU-1/link1 hw.link.state 0',
    'nvlink:GPU-1/link0 hw.nvlink.errors 7',
  ]);
  expect(reading.entities.get('gpu:GPU-1')?.aliases).toEqual(['gpu_uuid=GPU-1', 'gpu_index=h/gpu3']);
  const list = await readSource(nvidiaTopology, fixture('list.txt'));
  expect(edges(list)).toEqual([
    'gpu:GPU-11111111-2222-3333-4444-555555555555 contains gpu:MIG-aaaaaaaa-2222-3333-4444-555555555555 (nvidia-smi -L)',
  ]);
  expect(list.remarks).toEqual([]);
});

test('a list beside the matrix gives its GPUs their UUIDs', async () => {
  const text = `$ nvidia-smi -L\n${fixture('list.txt')}$ nvidia-smi topo -m\n${fixture('topo.txt')}`;
  expect(detects(text)).toBe(true);
  const reading = await readSource(nvidiaTopology, text, { assume: { device: 'h' } });
  expect(edges(reading)).toContain(
    'nic:h/mlx5_0 connects gpu:GPU-11111111-2222-3333-4444-555555555555 (nvidia-smi topo: PIX)',
  );
});

test('broken rows are rejected, the others stay', async () => {
  const text =
    '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \nGPU0\t X \tNV99999999999\t0-1\nGPU1\tNV4\tEVIL\t0-1\nGPU1\tNV4\t X \t0-1\n';
  const reading = await readSource(nvidiaTopology, text, { assume: { device: 'h' } });
  expect(reasonsOf(reading)).toEqual([
    'line 2: 1 cells below 2 devices',
    'line 3: "NV99999999999" is no relation of two devices',
    'line 4: "EVIL" is no relation of two devices',
  ]);
  expect(edges(reading)).toContain('gpu:h/gpu1 connects gpu:h/gpu0 (nvidia-smi topo: NV4)');
  await expect(readSource(nvidiaTopology, 'nothing\n')).rejects.toThrow('no topology');
});

test('other texts are not claimed', () => {
  for (const text of [
    '',
    '\tGPU0\tGPU1\n GPU0\tX\tGNS\n',
    'time,GPU0,CPU Affinity\n',
    'Jan  1 00:00:00 node kernel: GPU 0: NVIDIA A100 (UUID: GPU-1)\n',
    `${'log line\n'.repeat(50)}GPU 0: NVIDIA A100 (UUID: GPU-1)\n`,
  ])
    expect(detects(text), text).toBe(false);
});
