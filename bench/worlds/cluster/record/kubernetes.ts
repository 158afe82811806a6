import { Chance } from '../chance.ts';
import type { Happening } from '../state.ts';
import type { Scene } from './scene.ts';

interface Told {
  readonly kind: 'Pod' | 'Node' | 'Deployment' | 'Job';
  readonly name: string;
  readonly namespace?: string;
  readonly reason: string;
  readonly message: string;
  readonly warning: boolean;
  readonly component: string;
  readonly host?: string;
  /** Seconds until it is noticed. */
  readonly after_s?: number;
}

const pod = (name: string, reason: string, message: string, warning: boolean, host?: string): Told => ({
  kind: 'Pod',
  name,
  namespace: 'prod',
  reason,
  message,
  warning,
  component: reason === 'Scheduled' || reason === 'Preempted' ? 'default-scheduler' : 'kubelet',
  ...(host ? { host } : {}),
});
const node = (name: string, reason: string, message: string, warning = false): Told => ({
  kind: 'Node',
  name,
  reason,
  message,
  warning,
  component: reason === 'NodeNotReady' ? 'node-controller' : 'kubelet',
  host: name,
});

/** kubelet's, the scheduler's and the controllers' own words (pkg/kubelet/events/event.go and others). */
function toldOf(scene: Scene, { what, subject, server, values }: Happening): readonly Told[] {
  const host = server === undefined ? undefined : scene.server(server);
  switch (what) {
    case 'pod_ended':
      return endOf(subject.id, String(values?.['why']), String(values?.['resource'] ?? ''), host);
    case 'pod_unhealthy':
      return [
        pod(
          subject.id,
          'Unhealthy',
          'Readiness probe failed: Get "http://10.244.3.17:8080/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
          true,
          host,
        ),
      ];
    case 'pod_started':
      return [pod(subject.id, 'Started', 'Started container main', false, host)];
    case 'pod_backs_off':
      return [
        pod(subject.id, 'BackOff', `Back-off restarting failed container main in pod ${subject.id}_prod`, true, host),
      ];
    case 'pod_scheduled':
      return [pod(subject.id, 'Scheduled', `Successfully assigned prod/${subject.id} to ${host}`, false)];
    case 'node_not_ready':
      return [node(subject.id, 'NodeNotReady', `Node ${subject.id} status is now: NodeNotReady`)];
    case 'node_ready':
      return [node(subject.id, 'NodeReady', `Node ${subject.id} status is now: NodeReady`)];
    case 'node_pressure': {
      const disk = values?.['resource'] === 'ephemeral-storage';
      const [reason, message] = disk
        ? ['NodeHasDiskPressure', 'NodeHasDiskPressure']
        : ['NodeHasInsufficientMemory', 'NodeHasInsufficientMemory'];
      return [
        node(subject.id, reason, `Node ${subject.id} status is now: ${message}`),
        node(subject.id, 'EvictionThresholdMet', `Attempting to reclaim ${values?.['resource']}`, true),
      ];
    }
    case 'drained':
      return [node(subject.id, 'NodeNotSchedulable', `Node ${subject.id} status is now: NodeNotSchedulable`)];
    case 'host_booted':
      return [
        node(host!, 'Rebooted', `Node ${host} has been rebooted, boot id: 0b5c5d1f-7d0e-4c4b-9e0d-5f7f2a9d1c11`, true),
      ];
    case 'stranger_started':
      return [
        {
          ...pod(subject.id, 'Scheduled', `Successfully assigned batch/${subject.id} to ${host}`, false),
          namespace: 'batch',
        },
        { ...pod(subject.id, 'Started', 'Started container main', false, host), namespace: 'batch', after_s: 2 },
      ];
    case 'deployed':
      return [deployment(subject.id, Number(values?.['version']))];
    case 'oom':
      return [
        node(
          host!,
          'OOMKilling',
          `Memory cgroup out of memory: Killed process 3120456 (${values?.['service']}) total-vm:24117248kB`,
          true,
        ),
      ];
    case 'job_failed':
      return [
        {
          ...pod(`${subject.id}-worker-0`, 'Failed', 'Error: worker exited with code 1', true, host),
          namespace: 'train',
        },
      ];
    case 'job_started':
      return [
        { ...pod(`${subject.id}-worker-0`, 'Started', 'Started container pytorch', false, host), namespace: 'train' },
      ];
    default:
      return [];
  }
}

function endOf(name: string, why: string, resource: string, host: string | undefined): readonly Told[] {
  const backOff = {
    ...pod(name, 'BackOff', `Back-off restarting failed container main in pod ${name}_prod`, true, host),
    after_s: 3,
  };
  if (why === 'evicted')
    return [
      pod(
        name,
        'Evicted',
        `The node was low on resource: ${resource}. Threshold quantity: 5%, available: 3%. Container main was using 41Gi, request is 8Gi.`,
        true,
        host,
      ),
    ];
  if (why === 'preempted')
    return [pod(name, 'Preempted', `Preempted by pod 7d0b2c1e-53b6-4e0c-8f2d-1c2a8f0f9e11 on node ${host}`, false)];
  return [backOff];
}

function deployment(name: string, version: number): Told {
  const set = `${name}-${((version * 2654435761 + name.length * 40503) >>> 0).toString(16).padStart(8, '0').slice(0, 8)}`;
  return {
    kind: 'Deployment',
    name,
    namespace: 'prod',
    reason: 'ScalingReplicaSet',
    message: `Scaled up replica set ${set} to 1`,
    warning: false,
    component: 'deployment-controller',
  };
}

/** Cron jobs come and go on any day, on any machine. */
function routine(scene: Scene, chance: Chance): { readonly at_s: number; readonly told: Told }[] {
  const { servers, seconds } = scene.run.site;
  return Array.from({ length: chance.whole(3, 9) }, () => {
    const at_s = chance.between(0, seconds);
    const host = chance.pick(servers).name;
    const name = `${chance.pick(['cert-check', 'usage-report', 'image-gc', 'dns-probe'])}-${chance.whole(29_000_000, 29_900_000)}-${chance.hex(5)}`;
    const of = (reason: string, message: string): Told => ({
      ...pod(name, reason, message, false, host),
      namespace: 'cron',
    });
    return [
      { at_s, told: of('Scheduled', `Successfully assigned cron/${name} to ${host}`) },
      { at_s: at_s + 1, told: of('Pulled', 'Container image "registry.local/tools:4.2" already present on machine') },
      { at_s: at_s + 2, told: of('Started', 'Started container main') },
    ];
  }).flat();
}

/** `kubectl get events -A -o json`: to the second, by the control plane's clock; the server keeps an hour of them. */
export function recordKubernetes(scene: Scene): void {
  const chance = scene.chance('kubernetes');
  const clock = scene.clock('control plane');
  const items = scene.run.journal.flatMap((happening) => {
    const told = toldOf(scene, happening);
    if (told.length > 0) scene.keep(happening);
    return told.map((one) =>
      itemOf(scene, chance, one, scene.iso(clock, happening.at_s + (one.after_s ?? 0) + chance.exponential(0.5), 0)),
    );
  });
  for (const { at_s, told } of routine(scene, chance))
    items.push(itemOf(scene, chance, told, scene.iso(clock, at_s, 0)));
  scene.files.set(
    'events.json',
    JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items }),
  );
}

const itemOf = (
  scene: Scene,
  chance: Chance,
  { kind, name, namespace, reason, message, warning, component, host }: Told,
  time: string,
) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {
    name: `${name}.${chance.hex(16)}`,
    namespace: namespace ?? 'default',
    uid: `${chance.hex(8)}-${chance.hex(4)}-4${chance.hex(3)}-a${chance.hex(3)}-${chance.hex(12)}`,
    creationTimestamp: time,
  },
  involvedObject: {
    apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    uid: new Chance(scene.run.site.seed, `${kind} ${name}`).hex(12),
  },
  reason,
  message,
  source: { component, ...(host ? { host } : {}) },
  firstTimestamp: time,
  lastTimestamp: time,
  count: 1,
  type: warning ? 'Warning' : 'Normal',
});
