import type { Occurrence } from '../engine.ts';
import type { Scene } from './scene.ts';
import { idOf } from './words.ts';

interface Told {
  readonly kind: 'Pod' | 'Node' | 'Deployment' | 'Job';
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

function tell({ type, subject, data }: Occurrence): Told | undefined {
  const name = idOf(subject);
  const host = String(data.machine ?? '');
  const pod = (reason: string, message: string, isWarning: boolean, component = 'kubelet'): Told => ({
    kind: 'Pod',
    name,
    reason,
    message,
    type: isWarning ? 'Warning' : 'Normal',
    component,
    host,
  });
  const node = (reason: string, message: string, isWarning: boolean, component = 'node-controller'): Told => ({
    kind: 'Node',
    name: name.replace(/\/.*/, ''),
    reason,
    message,
    type: isWarning ? 'Warning' : 'Normal',
    component,
    host: '',
  });
  switch (type) {
    case 'node_not_ready':
      return node('NodeNotReady', `Node ${name} status is now: NodeNotReady`, true);
    case 'node_ready':
      return node('NodeReady', `Node ${name} status is now: NodeReady`, false, 'kubelet');
    case 'server_up':
      return node(
        'Rebooted',
        `Node ${name} has been rebooted, boot id: 2f0ab2c1-6b0c-4b3d-9d55-0c7d4f1a9e11`,
        true,
        'kubelet',
      );
    case 'disk_pressure':
      return node('NodeHasDiskPressure', `Node ${name} status is now: NodeHasDiskPressure`, true, 'kubelet');
    case 'out_of_memory':
      return node('SystemOOM', `System OOM encountered, victim process: ${data.process}, pid: 4711`, true, 'kubelet');
    case 'pod_evicted':
      return pod(
        'Evicted',
        'The node was low on resource: ephemeral-storage. Threshold quantity: 42949672960, available: 31215872Ki.',
        true,
      );
    case 'pod_preempted':
      return pod(
        'Preempted',
        `Preempted by pod 8d1f1c02-1d5a-4a57-9a5e-51d1b7ef0a11 on node ${host}`,
        true,
        'default-scheduler',
      );
    case 'preemptor_placed':
      return pod('Scheduled', `Successfully assigned prod/${name} to ${host}`, false, 'default-scheduler');
    case 'process_killed':
    case 'process_crashed':
      return pod('BackOff', `Back-off restarting failed container main in pod ${name}_prod`, true);
    case 'process_started':
      return pod('Started', 'Started container main', false);
    case 'pod_moved':
      return pod('TaintManagerEviction', `Marking for deletion Pod prod/${name}`, false, 'taint-eviction-controller');
    case 'scaled_up':
      return {
        kind: 'Deployment',
        name,
        reason: 'ScalingReplicaSet',
        message: `Scaled up replica set ${name}-6d4cf56db6 to ${data.replicas}`,
        type: 'Normal',
        component: 'deployment-controller',
        host: '',
      };
    case 'deployed':
      return {
        kind: 'Deployment',
        name,
        reason: 'ScalingReplicaSet',
        message: `Scaled up replica set ${name}-7b9f8d5c4 to 1`,
        type: 'Normal',
        component: 'deployment-controller',
        host: '',
      };
    default:
      return undefined;
  }
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
