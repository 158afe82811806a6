import type { Occurrence } from '../engine.ts';
import type { Scene } from './scene.ts';
import { idOf } from './words.ts';

interface Told {
  readonly kind: 'Pod' | 'Node' | 'Deployment';
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  readonly component: string;
  readonly host: string;
}

/** Events that the API server still had at the end. */
export function recordKubernetes(scene: Scene): void {
  if (scene.site.scheduler !== 'kubernetes' || !scene.has('kubernetes', 'orchestrator', 0.85)) return;
  const { site, run } = scene;
  const chance = scene.chance('kubernetes');
  const items: object[] = [];
  for (const one of run.engine.journal) {
    const told = tell(one);
    if (!told || chance.is(0.03)) continue;
    scene.shown.add(one.id);
    items.push(event(scene, one.at_s, told, items.length));
    // Which pod belongs to which service is in its labels, which events lack; its name begins with it.
    if (told.kind !== 'Pod' || told.host === '') continue;
    scene.link(`node:${told.host}`, one.subject);
    if (one.type === 'preemptor_placed') scene.link(one.subject, `node:${told.host}`);
  }
  for (const [service, replicas] of run.rpc.replicas)
    for (const { name, machine } of replicas) {
      if (!machine || !chance.is(0.3)) continue;
      const at_s = chance.between(0, site.seconds);
      items.push(
        event(
          scene,
          at_s,
          {
            kind: 'Pod',
            name,
            reason: 'Pulled',
            message: `Container image "registry.local/${service}:stable" already present on machine`,
            type: 'Normal',
            component: 'kubelet',
            host: machine.name,
          },
          items.length,
        ),
      );
    }
  lists(scene);
  if (items.length > 0)
    scene.add('kubernetes/events.json', [
      JSON.stringify({ kind: 'EventList', apiVersion: 'v1', metadata: { resourceVersion: '991201' }, items }),
    ]);
}

/** `kubectl get nodes,pods -o json` at the end, where somebody thought of it. */
function lists(scene: Scene): void {
  const { site, run } = scene;
  const chance = scene.chance('kubernetes lists');
  const list = (items: readonly object[]): string =>
    JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: {}, items });
  if (chance.is(0.5)) {
    const nodes = site.machines.map(({ name, instance, address }) => ({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name },
      spec: site.isCloud ? { providerID: `aws:///eu-central-1a/${instance}` } : {},
      status: {
        addresses: [
          { type: 'InternalIP', address },
          { type: 'Hostname', address: name },
        ],
      },
    }));
    scene.add('kubernetes/nodes.json', [list(nodes)]);
    if (site.isCloud)
      for (const { name, instance } of site.machines) scene.both(`instance:${instance}`, `node:${name}`);
  }
  if (!chance.is(0.5)) return;
  const pods = [...run.rpc.replicas].flatMap(([service, replicas]) =>
    replicas.flatMap(({ name, machine }) => {
      if (!machine) return [];
      scene.link(`node:${machine.name}`, `pod:${name}`);
      scene.link(`pod:${name}`, `service:${service}`);
      return [
        {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: { name, namespace: 'prod', labels: { 'app.kubernetes.io/name': service } },
          spec: { nodeName: machine.name },
          status: { phase: 'Running' },
        },
      ];
    }),
  );
  scene.add('kubernetes/pods.json', [list(pods)]);
}

type Said = readonly [reason: string, message: string, isWarning: boolean, component?: string];

const nodeWords: Readonly<Record<string, (name: string, data: Occurrence['data']) => Said>> = {
  node_not_ready: (name) => ['NodeNotReady', `Node ${name} status is now: NodeNotReady`, true, 'node-controller'],
  node_ready: (name) => ['NodeReady', `Node ${name} status is now: NodeReady`, false],
  server_up: (name) => [
    'Rebooted',
    `Node ${name} has been rebooted, boot id: 2f0ab2c1-6b0c-4b3d-9d55-0c7d4f1a9e11`,
    true,
  ],
  disk_pressure: (name) => ['NodeHasDiskPressure', `Node ${name} status is now: NodeHasDiskPressure`, true],
  out_of_memory: (_, { process }) => [
    'SystemOOM',
    `System OOM encountered, victim process: ${process}, pid: 4711`,
    true,
  ],
};
const backOff = (name: string): Said => [
  'BackOff',
  `Back-off restarting failed container main in pod ${name}_prod`,
  true,
];
const podWords: Readonly<Record<string, (name: string, host: string) => Said>> = {
  pod_evicted: () => [
    'Evicted',
    'The node was low on resource: ephemeral-storage. Threshold quantity: 42949672960, available: 31215872Ki.',
    true,
  ],
  pod_preempted: (_, host) => [
    'Preempted',
    `Preempted by pod 8d1f1c02-1d5a-4a57-9a5e-51d1b7ef0a11 on node ${host}`,
    true,
    'default-scheduler',
  ],
  preemptor_placed: (name, host) => [
    'Scheduled',
    `Successfully assigned prod/${name} to ${host}`,
    false,
    'default-scheduler',
  ],
  process_killed: backOff,
  process_crashed: backOff,
  process_started: () => ['Started', 'Started container main', false],
  pod_moved: (name) => [
    'TaintManagerEviction',
    `Marking for deletion Pod prod/${name}`,
    false,
    'taint-eviction-controller',
  ],
};
const deploymentWords: Readonly<Record<string, (name: string, data: Occurrence['data']) => Said>> = {
  scaled_up: (name, { replicas }) => [
    'ScalingReplicaSet',
    `Scaled up replica set ${name}-6d4cf56db6 to ${replicas}`,
    false,
    'deployment-controller',
  ],
  deployed: (name) => [
    'ScalingReplicaSet',
    `Scaled up replica set ${name}-7b9f8d5c4 to 1`,
    false,
    'deployment-controller',
  ],
};

function tell({ type, subject, data }: Occurrence): Told | undefined {
  const name = idOf(subject);
  const host = String(data.machine ?? '');
  const told = (kind: Told['kind'], [reason, message, isWarning, component = 'kubelet']: Said, on = ''): Told => ({
    kind,
    name,
    reason,
    message,
    type: isWarning ? 'Warning' : 'Normal',
    component,
    host: on,
  });
  const node = nodeWords[type];
  if (node) return told('Node', node(name, data));
  const pod = podWords[type];
  if (pod) return told('Pod', pod(name, host), host);
  const deployment = deploymentWords[type];
  return deployment && told('Deployment', deployment(name, data));
}

function event(
  scene: Scene,
  at_s: number,
  { kind, name, reason, message, type, component, host }: Told,
  number: number,
): object {
  const time = `${scene.date('kubernetes', at_s).toISOString().slice(0, 19)}Z`;
  const namespace = kind === 'Node' ? 'default' : 'prod';
  const tail = (number + 4096).toString(16).padStart(12, '0');
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name}.17${tail}`, namespace, uid: `5c0e6d10-98a1-4b6f-8a3f-${tail}`, creationTimestamp: time },
    involvedObject: {
      kind,
      name,
      ...(kind === 'Node' ? { uid: name } : { namespace: 'prod' }),
      apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
    },
    reason,
    message,
    source: { component, ...(host === '' ? {} : { host }) },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
  };
}
