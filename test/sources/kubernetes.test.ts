import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetes } from '../../src/main/sources/kubernetes/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { countsOf, type Reading, readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/kubernetes', name));
const reported = ({ rows }: Reading) =>
  rows.event.map(({ time_ns, type, entity }) => `${formatUtc(nanos(time_ns as bigint))} ${type} ${entity}`);

test('nodes in YAML: identity, bad conditions, taints with and without a time', async () => {
  const reading = await readSource(kubernetes, fixture('nodes.yaml'));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:30.000Z node_condition node:gpu-node-3',
    '2026-01-01T00:01:00.000Z node_not_ready node:gpu-node-3',
    '2026-01-01T00:01:02.000Z node_tainted node:gpu-node-3',
    '2026-01-01T00:00:00.000Z node_tainted node:gpu-node-3',
  ]);
  expect(reading.remarks.join()).toContain('taints without a time');
  const { aliases, attributes } = reading.entities.get('node:gpu-node-3') ?? { aliases: [], attributes: '' };
  expect(aliases).toEqual(
    expect.arrayContaining(['kubernetes_node=gpu-node-3', 'ip_address=10.0.0.3', 'cloud_instance_id=i-0abc123']),
  );
  expect(JSON.parse(attributes)).toMatchObject({ unschedulable: true, 'topology.kubernetes.io/zone': 'us-east-1a' });
});

test('a watch log: pods with their place and ends, new-style events with micro-seconds, counts as a stretch', async () => {
  const reading = await readSource(kubernetes, fixture('watch.json'));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:41.000Z pod_oom_killed pod:ml/trainer-0',
    '2026-01-01T00:00:49.123Z pod_evicted pod:ml/trainer-0',
  ]);
  expect(JSON.parse(String(reading.rows.event[1]?.attributes))).toMatchObject({
    count: 4,
    last_time_ns: String(BigInt(Date.parse('2026-01-01T00:02:00Z')) * 1_000_000n),
  });
  expect(reading.rows.edge.map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`)).toEqual([
    'pod:ml/trainer-0 runs_on node:gpu-node-3',
    'pod:ml/trainer-0 member_of job:ml/trainer',
    'service:trainer runs_on pod:ml/trainer-0',
    'container:abc member_of pod:ml/trainer-0',
  ]);
  expect(reading.remarks).toEqual(['1 ConfigMap left out: only events, nodes, pods and their workloads are read']);
});

test('real event and pod lists', async () => {
  const events = await readSource(kubernetes, fixture('events.json'));
  const items = (JSON.parse(fixture('events.json').toString()) as { items: unknown[] }).items;
  expect(events.rows.event).toHaveLength(items.length);
  expect(events.rows.reject).toEqual([]);
  const types = new Set(events.rows.event.map(({ type }) => type));
  for (const type of ['pod_failed', 'pod_started']) expect(types).toContain(type);
  const pods = await readSource(kubernetes, fixture('pods.json'));
  expect(pods.rows.event.map(({ type }) => type)).toContain('pod_failed');
});

test('nodes that state no conditions are named, and what is missing is a remark', async () => {
  const node = {
    metadata: { name: 'gpu-1', labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.5' }] },
  };
  // As the API answers: the list states the kind of its items.
  const reading = await readSource(
    kubernetes,
    JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: [node] }),
  );
  expect(countsOf(reading)).toEqual({});
  expect(reading.entities.get('node:gpu-1')).toEqual({
    aliases: ['kubernetes_node=gpu-1', 'ip_address=10.0.0.5'],
    attributes: '{"topology.kubernetes.io/zone":"zone-a"}',
  });
  expect(reading.remarks).toEqual([
    'nodes without conditions: their names, addresses and labels are kept, whether they were ready is not recorded',
  ]);
});

test('a recorded pod that waits for a node, and the list of nodes', async () => {
  const pending = sharedData('k8s/troubleshoot/pods/message-pending-node-affinity.json');
  expect((await readSource(kubernetes, readFileSync(pending))).rows.event.map(({ type }) => type)).toContain(
    'pod_unschedulable',
  );
  const nodes = sharedData('k8s/troubleshoot/nodes.json');
  const text = readFileSync(nodes);
  const count = (JSON.parse(text.toString()) as { items: unknown[] }).items.length;
  const reading = await readSource(kubernetes, text);
  expect([...reading.entities.keys()].filter((key) => key.startsWith('node:'))).toHaveLength(count);
  expect(reading.rows.reject).toEqual([]);
});

test('both times null fall back to the event time, then to the creation; without any it is a reject', async () => {
  const event = (more: object) => ({
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: { kind: 'Node', name: 'n' },
    reason: 'NodeNotReady',
    firstTimestamp: null,
    lastTimestamp: null,
    ...more,
  });
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      event({ eventTime: '2026-01-01T00:00:01.5Z' }),
      event({ metadata: { creationTimestamp: '2026-01-01T00:00:02Z' } }),
      event({}),
    ],
  };
  const reading = await readSource(kubernetes, JSON.stringify(list));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:01.500Z node_not_ready node:n',
    '2026-01-01T00:00:02.000Z node_not_ready node:n',
  ]);
  expect(reading.rows.reject).toHaveLength(1);
});

test('events of an autoscaler: documented reasons, no real file', async () => {
  // https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/
  const event = (reason: string, message: string, type = 'Normal') => ({
    ...{ apiVersion: 'v1', kind: 'Event', reason, message, type },
    involvedObject: { kind: 'HorizontalPodAutoscaler', namespace: 'ml', name: 'llama' },
    firstTimestamp: '2026-01-01T00:00:01Z',
  });
  const items = [
    event('SuccessfulRescale', 'New size: 5; reason: pods metric num_requests_waiting above target'),
    event('FailedGetPodsMetric', 'unable to get metric num_requests_waiting', 'Warning'),
    event('FailedComputeMetricsReplicas', 'invalid metrics (1 invalid out of 1)', 'Warning'),
  ];
  const reading = await readSource(kubernetes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const of = 'device:HorizontalPodAutoscaler ml/llama';
  expect(reported(reading).toSorted()).toEqual([
    `2026-01-01T00:00:01.000Z replicas_changed ${of}`,
    `2026-01-01T00:00:01.000Z scaling_failed ${of}`,
    `2026-01-01T00:00:01.000Z scaling_failed ${of}`,
  ]);
  expect(reading.rows.event.map(({ message }) => message)).toContain(
    'SuccessfulRescale: New size: 5; reason: pods metric num_requests_waiting above target',
  );
});

test('an autoscaler object states its limit, what it cannot measure, and when it scaled', async () => {
  // The conditions are those of https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/
  const condition = (type: string, status: string, reason: string) => ({
    ...{ type, status, reason, message: `about ${type}` },
    lastTransitionTime: '2026-01-01T00:01:00Z',
  });
  const scaler = (name: string, conditions: readonly object[]) => ({
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name, namespace: 'ml' } },
    spec: { maxReplicas: 4, scaleTargetRef: { kind: 'Deployment', name: 'llama' } },
    status: { currentReplicas: 4, desiredReplicas: 4, lastScaleTime: '2026-01-01T00:00:30Z', conditions },
  });
  const items = [
    scaler('at-limit', [
      condition('ScalingLimited', 'True', 'TooManyReplicas'),
      condition('AbleToScale', 'True', 'Ready'),
    ]),
    scaler('blind', [condition('ScalingActive', 'False', 'FailedGetResourceMetric')]),
    scaler('off', [condition('ScalingActive', 'False', 'ScalingDisabled')]),
    scaler('least', [condition('ScalingLimited', 'True', 'TooFewReplicas')]),
  ];
  const reading = await readSource(kubernetes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const of = (name: string) => `device:HorizontalPodAutoscaler ml/${name}`;
  expect(reported(reading).toSorted()).toEqual([
    ...['at-limit', 'blind', 'least', 'off'].map((name) => `2026-01-01T00:00:30.000Z replicas_changed ${of(name)}`),
    `2026-01-01T00:01:00.000Z scaling_failed ${of('blind')}`,
    `2026-01-01T00:01:00.000Z scaling_limited ${of('at-limit')}`,
  ]);
  const limited = reading.rows.event.find(({ message }) => String(message).startsWith('TooManyReplicas'));
  expect(JSON.parse(String(limited?.attributes ?? '{}'))).toMatchObject({ scales: 'ml/llama', replicas_limit: 4 });
});

test('a pod that made room for another was preempted, by its event and by its condition; others were evicted', async () => {
  const event = (reason: string, name: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: { kind: 'Pod', namespace: 'ml', name },
    reason,
    message: 'Preempted by pod 7d0e on node n',
    eventTime: '2026-01-01T00:00:01Z',
  });
  const pod = (name: string, reason: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ml', name },
    status: {
      phase: 'Failed',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: '2026-01-01T00:00:02Z' }],
    },
  });
  const items = [
    event('Preempted', 'a'),
    event('Evicted', 'b'),
    pod('c', 'PreemptionByScheduler'),
    pod('d', 'EvictionByEvictionAPI'),
  ];
  const reading = await readSource(kubernetes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:01.000Z pod_preempted pod:ml/a',
    '2026-01-01T00:00:01.000Z pod_evicted pod:ml/b',
    '2026-01-01T00:00:02.000Z pod_preempted pod:ml/c',
    '2026-01-01T00:00:02.000Z pod_evicted pod:ml/d',
  ]);
});

test('hostile objects are rejects or ignored, broken YAML costs its own document', async () => {
  const objects = [
    null,
    5,
    'x',
    [],
    {},
    { kind: 'Pod', apiVersion: 'v1', metadata: 7 },
    {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: 'n' },
      status: { conditions: [null, 3, { type: {}, status: 'True' }], addresses: 'x' },
    },
    { kind: '__proto__', apiVersion: 'v1' },
  ];
  const reading = await readSource(kubernetes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  expect(reading.rows.reject.length).toBeGreaterThanOrEqual(5);
  const yaml =
    'apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: b\n---\napiVersion: v1\nkind: Node\nmetadata: {name: c}\n';
  const three = await readSource(kubernetes, yaml);
  expect([...three.entities.keys()]).toEqual(['node:a', 'node:c']);
  expect(three.rows.reject).toHaveLength(1);
});

test('other JSON and YAML is not taken for Kubernetes', () => {
  for (const text of ['{"items":[]}', '{"kind":"x"}', 'a: 1\nkind: x\n', '{"type":"ADDED"}', '[]'])
    expect(kubernetes.detect(new FileHead(Buffer.from(text))), text).toBe(false);
});

test('YAML aliases that expand to a billion values, or to themselves, are one reject', async () => {
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`);
  const node = 'apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {zone: ';
  const laughs = `a0: &a0 [x, x]\n${levels.join('\n')}\n${node}*a9}}\n`;
  for (const bomb of [laughs, `${node}&z [*z]}}\n`]) {
    const reading = await readSource(kubernetes, `${bomb}---\n${node}b}, uid: u}\n`);
    expect(reading.rows.reject.map(({ reason }) => reason)).toEqual(['YAML aliases that expand to more than the text']);
    expect([...reading.entities.keys()]).toEqual(['node:n']);
  }
});

const owner = (kind: string, name: string, more: object = { controller: true, blockOwnerDeletion: true }) => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: 'd992c1a5-d2c4-4065-ac5b-3bb893f9000a',
  ...more,
});
const owned = (kind: string, name: string, ...ownerReferences: object[]) => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'ml', name, ownerReferences },
});
const ownersOf = ({ rows }: Reading) =>
  rows.edge.map((edge) => `${edge.from_entity} ${edge.kind} ${edge.to_entity}, ${edge.provenance}`);

test('pods and their workloads are members of what controls them, through each owner that was recorded', async () => {
  const items = [
    owned('Pod', 'chat-7d9f8c5b6d-x2x4z', owner('ReplicaSet', 'chat-7d9f8c5b6d')),
    owned('ReplicaSet', 'chat-7d9f8c5b6d', owner('Deployment', 'chat')),
    owned('Deployment', 'chat'),
    owned('Pod', 'sweep-a-0-vwx5k', owner('Job', 'sweep-a-0')),
    owned('Job', 'sweep-a-0', owner('JobSet', 'sweep')),
    // The controller counts, whatever else owns the pod; a node controls its static pods.
    owned('Pod', 'llm-worker-0', owner('ConfigMap', 'llm-config', {}), owner('PyTorchJob', 'llm')),
    owned('Pod', 'kube-proxy-n1', owner('Node', 'n1')),
    owned('Pod', 'lab-0', owner('Notebook', 'lab')),
    owned('Pod', 'two', owner('ConfigMap', 'a', {}), owner('Deployment', 'b', {})),
  ];
  const reading = await readSource(kubernetes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  expect(ownersOf(reading)).toEqual([
    'pod:ml/chat-7d9f8c5b6d-x2x4z member_of job:ml/chat-7d9f8c5b6d, kubernetes owner',
    'job:ml/chat-7d9f8c5b6d member_of job:ml/chat, kubernetes owner',
    'pod:ml/sweep-a-0-vwx5k member_of job:ml/sweep-a-0, kubernetes owner',
    'job:ml/sweep-a-0 member_of job:ml/sweep, kubernetes owner',
    'pod:ml/llm-worker-0 member_of job:ml/llm, kubernetes owner',
    'pod:ml/lab-0 member_of job:ml/lab, kubernetes owner',
  ]);
  expect(reading.rows.reject).toEqual([]);
  expect(reading.remarks).toEqual([]);
});

test('a list as the API answers it states the kind of its workloads', async () => {
  const { kind: _, ...item } = owned('ReplicaSet', 'chat-7d9f8c5b6d', owner('Deployment', 'chat'));
  const list = { kind: 'ReplicaSetList', apiVersion: 'apps/v1', metadata: {}, items: [item] };
  expect(ownersOf(await readSource(kubernetes, JSON.stringify(list)))).toEqual([
    'job:ml/chat-7d9f8c5b6d member_of job:ml/chat, kubernetes owner',
  ]);
});
