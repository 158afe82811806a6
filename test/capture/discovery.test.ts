import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nvidiaTopologyFeed } from '../../src/main/capture/nvidia-topology/index.ts';
import { nvidiaTopology } from '../../src/main/sources/nvidia-topology/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { captureWhile, isState } from '../support/capture-run.ts';
import { cloudService } from '../support/cloud-service.ts';
import { temporaryFolder } from '../support/core.ts';
import { runFeed } from '../support/feed-run.ts';
import { readSource } from '../support/read-source.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/nvidia-topology');

/** A program that behaves like nvidia-smi. */
async function nvidiaSmi(topology = join(FIXTURES, 'topo.txt')): Promise<string> {
  const program = join(await temporaryFolder(), 'nvidia-smi');
  const script = `#!/bin/sh
case "$*" in
  "topo -m") cat ${JSON.stringify(topology)} ;;
  "-L") cat ${JSON.stringify(join(FIXTURES, 'list.txt'))} ;;
  *) echo "unknown option $*" >&2; exit 2 ;;
esac
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  return program;
}

const planOf = (settings: object) =>
  nvidiaTopologyFeed.plan.parse({ kind: 'nvidia-topology', host: 'node-3', ...settings });

describe.skipIf(process.platform === 'win32')('the topology of this machine', () => {
  test('is read once and equals the result of the importer', async () => {
    const nvidia_smi = await nvidiaSmi();
    const run = await runFeed(nvidiaTopologyFeed.open(planOf({ nvidia_smi })), (one) =>
      one.until(({ reading }) => reading.rows.edge.length > 0),
    );
    const texts = await Promise.all(['list.txt', 'topo.txt'].map((name) => readFile(join(FIXTURES, name), 'utf8')));
    const wanted = await readSource(nvidiaTopology, { 'topo.txt': texts.join('\n') }, { name: 'node-3' });
    const edges = (rows: typeof wanted.rows.edge) =>
      rows.map((row) => [row.from_entity, row.kind, row.to_entity].join(' ')).sort();
    expect(edges(run.reading.rows.edge)).toEqual(edges(wanted.rows.edge));
    expect(run.states).toEqual([{ state: 'up', reason: `${wanted.rows.edge.length} links of GPUs and network cards` }]);
  });

  test('waits if there is no room, and reports why there is none', async () => {
    const run = await runFeed(nvidiaTopologyFeed.open(planOf({ nvidia_smi: '/nowhere/nvidia-smi' })), (one) =>
      one.until(({ states: reportedTexts }) => reportedTexts.length > 0),
    );
    expect(run.states).toEqual([{ state: 'down', reason: 'there is no /nowhere/nvidia-smi that can be run' }]);
    const checks: FeedCheck[] = [];
    const plan = planOf({ nvidia_smi: await nvidiaSmi() });
    for await (const check of nvidiaTopologyFeed.test(plan, new AbortController().signal)) checks.push(check);
    expect(checks).toMatchObject([{ step: 'values', passed: true }]);
  });
});

/** Output of dcgm-exporter in Kubernetes: the GPU, its machine, and its pod. */
const DCGM = `# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-11111111-2222-3333-4444-555555555555",device="nvidia0",modelName="NVIDIA H100",Hostname="node-3",namespace="a",pod="trainer-0",container="main"} 310.5
`;

test('feeds propose the links of a machine; observations of one device are linked at once', async () => {
  const exporter = await cloudService(() => ({ body: DCGM }));
  const pod = {
    metadata: { name: 'trainer-0', namespace: 'a' },
    spec: { nodeName: 'node-3', containers: [{ name: 'main' }] },
    status: { startTime: '2026-01-01T00:00:00Z' },
  };
  const api = await cloudService(({ url }) => ({
    body: {
      kind: url.includes('/pods') ? 'PodList' : 'NodeList',
      apiVersion: 'v1',
      items: url.includes('/pods') ? [pod] : [],
    },
  }));
  const plan = `feeds:
    - {kind: prometheus, name: dcgm, url: "${exporter.url}/metrics", every_s: 1}
    - {kind: kubernetes, name: cluster, url: "${api.url}", every_s: 5}
    - {kind: nvidia-topology, name: topo, host: node-3, nvidia_smi: ${JSON.stringify(await nvidiaSmi())}}`;
  const { core } = await captureWhile(plan, async (until) => {
    const ups = new Set<string>();
    await until((event) => isState('up')(event) && event.kind === 'feed' && ups.add(event.feed).size === 3);
    await until((event) => event.kind === 'written' && event.rows > 0);
  });
  const { nodes, edges, proposed } = await core.api['topology.get']({});
  const edgeTexts = (list: typeof edges) =>
    list.map(({ from, kind, to }) => `${nodes[from]?.key} ${kind} ${nodes[to]?.key}`);
  const gpu = 'gpu:GPU-11111111-2222-3333-4444-555555555555';
  expect(edgeTexts(edges)).toContain(`server:node-3 contains ${gpu}`);
  expect(edgeTexts(edges).filter((link) => / (runs_on|connects|feeds) /.test(link))).toEqual([]);
  const found = Object.fromEntries(edgeTexts(proposed).map((link, at) => [link, proposed[at]?.sources]));
  expect(found).toMatchObject({
    [`pod:a/trainer-0 runs_on ${gpu}`]: ['dcgm'],
    'pod:a/trainer-0 runs_on server:node-3': ['cluster'],
  });
  expect(edgeTexts(proposed).filter((link) => link.startsWith(`${gpu} connects gpu:`)).length).toBeGreaterThan(0);
});
