import type { Alias } from '../../../model/entity.ts';
import { assignedName, isDistinguishing } from '../../../model/incident/assigned-name.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { belongsToSlice } from '../nvidia/dcgm-fields.ts';
import { gpuUuid, migSliceId } from '../nvidia/gpu-uuid.ts';
import { hostOfInstance } from './host-of-instance.ts';
import type { Labels, Naming, Relation, Subject, Surroundings } from './scraped.ts';

export const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[?[0-9a-f]*:[0-9a-f:]+\]?)$/i;

/** A machine by its name or address. */
export function serverSubject(name: string): Subject {
  return { kind: 'server', id: name, aliases: [{ kind: ADDRESS.test(name) ? 'ip_address' : 'host_name', name }] };
}

export const nodeSubject = (id: string): Subject => ({
  kind: 'node',
  id,
  aliases: [{ kind: 'kubernetes_node', name: id }],
});

export function podSubject(name: string, namespace: string, more: Record<string, string | undefined> = {}): Subject {
  const { uid, ...attributes } = more;
  return {
    kind: 'pod',
    id: namespace === '' ? name : `${namespace}/${name}`,
    aliases: uid ? [{ kind: 'kubernetes_pod_uid', name: uid }] : [],
    attributes,
  };
}

/** The pod whose work runs on a GPU; an exporter's own pod, which a server adds as target labels, is not it. */
function workload(labels: Labels, [pod, namespace, container]: PodKeys): Subject | undefined {
  const exported = labels.has('exported_pod');
  const of = (key: string, plain: string) => labels.get(exported ? `exported_${key}` : plain) ?? '';
  const name = of('pod', pod);
  const inside = of('container', container);
  if (name === '' || (!exported && /exporter/.test(`${name} ${inside}`))) return undefined;
  return podSubject(name, of('namespace', namespace), {
    container: inside || undefined,
    uid: labels.get('pod_uid'),
  });
}

/** The machine in the labels; a scrape of the local host names none. */
export function machineOf(labels: Labels, host: string | undefined): string {
  const instance = hostOfInstance(labels.get('instance') ?? '');
  const usable = isDistinguishing({ kind: 'ip_address', name: instance }) ? instance : '';
  return assignedName(firstOf(labels, 'Hostname', 'hostname', 'host_name', 'nodename')) || usable || host || '';
}

export const firstOf = (labels: Labels, ...keys: string[]): string => {
  for (const key of keys) {
    const value = labels.get(key);
    if (value !== undefined && value !== '') return value;
  }
  return '';
};

/** Labels of GPU exporters that name the GPU and what runs on it, or that change while the series stays the same. */
const gpuLabels =
  'gpu gpu_index UUID uuid gpu_uuid pci_bus_id device modelName Hostname hostname host_name node GPU_I_ID GPU_I_PROFILE gpu_instance_id pod pod_uid namespace container exported_pod exported_namespace exported_container exported_node hpc_job err_code err_msg'.split(
    ' ',
  );

type PodKeys = readonly [pod: string, namespace: string, container: string];

/** In which labels an exporter names a GPU and what runs on it; the first that is there counts. */
export interface GpuLabels {
  readonly uuid: readonly string[];
  /** The exporter's unique ids are no UUIDs. */
  readonly isFreeUuid: boolean;
  readonly index: readonly string[];
  readonly pci: readonly string[];
  /** Names that are unique on one machine only. */
  readonly local: readonly string[];
  readonly model: readonly string[];
  readonly serial: readonly string[];
  readonly job: readonly string[];
  readonly pod: PodKeys;
  /** More labels that do not distinguish series of one GPU. */
  readonly used: readonly string[];
}

const usual: GpuLabels = {
  uuid: ['UUID', 'uuid', 'gpu_uuid'],
  isFreeUuid: false,
  index: ['gpu', 'gpu_index', 'index', 'gpu_number'],
  pci: ['pci_bus_id'],
  local: [],
  model: ['modelName', 'name', 'model'],
  serial: ['serial'],
  job: ['hpc_job'],
  pod: ['pod', 'namespace', 'container'],
  used: [],
};

/** Names of a GPU, or of a MIG slice of one, and of the server, pod and job around it; undefined when no GPU is named. */
export function gpuNaming(
  metric: string,
  labels: Labels,
  { host, fallback }: Surroundings,
  vendor: Partial<GpuLabels> = {},
): Naming | undefined {
  const keys = { ...usual, ...vendor };
  const machine = assignedName(firstOf(labels, 'Hostname', 'hostname', 'host_name', 'node')) || machineOf(labels, host);
  const names = gpuNames(labels, keys, machine, fallback);
  if (!names) return undefined;
  const gpu: Subject = {
    kind: 'gpu',
    ...names,
    attributes: {
      model: firstOf(labels, ...keys.model) || undefined,
      driver_version: labels.get('DCGM_FI_DRIVER_VERSION') ?? labels.get('driver_version'),
      serial: firstOf(labels, ...keys.serial) || undefined,
    },
  };
  const relations: Relation[] = [];
  if (machine) relations.push({ from: serverSubject(machine), kind: 'contains', to: gpu });
  const slice = sliceOf(gpu, labels);
  if (slice) relations.push({ from: gpu, kind: 'contains', to: slice });
  const pod = workload(labels, keys.pod);
  if (pod) relations.push({ from: pod, kind: 'runs_on', to: slice ?? gpu });
  const job = firstOf(labels, ...keys.job);
  if (job) relations.push({ from: { kind: 'job', id: job }, kind: 'runs_on', to: slice ?? gpu });
  const subject = slice && (belongsToSlice(metric) || /_mig_|compute_app/.test(metric)) ? slice : gpu;
  const fields = [...labels.keys()].filter((key) => key.startsWith('DCGM_FI_'));
  return { subject, relations, used: new Set([...gpuLabels, ...keys.used, ...fields]) };
}

/** Every machine has a GPU 0: where it is unknown, an index is unique only within the scrape. */
function gpuNames(
  labels: Labels,
  keys: GpuLabels,
  machine: string,
  fallback: Surroundings['fallback'],
): ReturnType<typeof identifyGpu> {
  const written = firstOf(labels, ...keys.uuid);
  const uuid = gpuUuid(written) ?? (keys.isFreeUuid ? assignedName(written) || undefined : undefined);
  const index = keys.index.map((key) => labels.get(key) ?? '').find((text) => /^\d{1,3}$/.test(text));
  const pci = firstOf(labels, ...keys.pci);
  const local = firstOf(labels, ...keys.local);
  // A blanked UUID still shows that the series is about a GPU, but not which one.
  const isBlanked = uuid === undefined && /^(GPU-)?[0-]{36}$/.test(written);
  if (uuid === undefined && index === undefined && pci === '' && local === '' && !isBlanked) return undefined;
  const place = machine || (uuid === undefined ? fallback().id : undefined);
  const known = identifyGpu({ uuid, host: place, index, pci });
  if (known) return known;
  return { id: `${place}/${isBlanked ? 'gpu' : local}`, aliases: [] };
}

function sliceOf(gpu: Subject, labels: Labels): Subject | undefined {
  const instance = firstOf(labels, 'GPU_I_ID', 'gpu_instance_id');
  if (!/^\d{1,3}$/.test(instance)) return undefined;
  const mig = gpuUuid(
    labels.get('mig_uuid') === undefined ? undefined : `MIG-${labels.get('mig_uuid')?.replace(/^MIG-/i, '')}`,
  );
  const aliases: Alias[] = mig ? [{ kind: 'gpu_uuid', name: mig }] : [];
  return {
    kind: 'gpu',
    id: migSliceId(gpu.id, instance),
    aliases,
    attributes: { mig_profile: firstOf(labels, 'GPU_I_PROFILE', 'profile') || undefined, gpu_instance: instance },
  };
}

/** Entity of a host exporter's series: the scraped machine. */
export function hostNaming(labels: Labels, { host, fallback }: Surroundings): Naming {
  const named = machineOf(labels, host);
  const node = labels.get('node');
  const subject = named ? serverSubject(named) : node ? nodeSubject(node) : asServer(fallback());
  const relations: Relation[] =
    named && node && node !== named ? [{ from: nodeSubject(node), kind: 'runs_on', to: subject }] : [];
  return { subject, relations, used: new Set(['instance', 'nodename', 'Hostname', 'hostname', 'host_name', 'node']) };
}

const asServer = (subject: Subject): Subject => (subject.kind === 'device' ? { ...subject, kind: 'server' } : subject);

/** kube-state-metrics: labels name the described object, not the scraped one. */
export function kubernetesNaming(metric: string, labels: Labels, surroundings: Surroundings): Naming {
  const node = firstOf(labels, 'exported_node', 'node');
  const podName = firstOf(labels, 'exported_pod', 'pod');
  const used = new Set([
    'exported_node',
    'node',
    'exported_pod',
    'pod',
    'exported_namespace',
    'namespace',
    'uid',
    'instance',
  ]);
  if (metric.startsWith('kube_node_') && node !== '') return { subject: nodeSubject(node), relations: [], used };
  if (metric.startsWith('kube_pod_') && podName !== '') {
    const subject = podSubject(podName, firstOf(labels, 'exported_namespace', 'namespace'), { uid: labels.get('uid') });
    const relations: Relation[] =
      metric === 'kube_pod_info' && node !== '' ? [{ from: subject, kind: 'runs_on', to: nodeSubject(node) }] : [];
    return { subject, relations, used };
  }
  return { subject: surroundings.fallback(), relations: [], used: new Set() };
}

/** Any other series: the most specific entity in its labels. */
export function genericNaming(labels: Labels, { host, fallback }: Surroundings): Naming {
  const pod = firstOf(labels, 'pod', 'pod_name', 'kubernetes_pod_name');
  const node = firstOf(labels, 'node', 'kubernetes_node', 'nodename');
  const service = firstOf(labels, 'service_name', 'service');
  const machine = machineOf(labels, undefined);
  if (pod !== '') {
    const subject = podSubject(pod, firstOf(labels, 'namespace', 'kubernetes_namespace'));
    const relations: Relation[] = node ? [{ from: subject, kind: 'runs_on', to: nodeSubject(node) }] : [];
    return {
      subject,
      relations,
      used: new Set(['pod', 'pod_name', 'kubernetes_pod_name', 'namespace', 'kubernetes_namespace', 'node']),
    };
  }
  if (service !== '')
    return { subject: { kind: 'service', id: service }, relations: [], used: new Set(['service_name', 'service']) };
  if (node !== '')
    return { subject: nodeSubject(node), relations: [], used: new Set(['node', 'kubernetes_node', 'nodename']) };
  if (machine)
    return {
      subject: serverSubject(machine),
      relations: [],
      used: new Set(['instance', 'Hostname', 'hostname', 'host_name']),
    };
  const job = labels.get('job');
  if (job) return { subject: { kind: 'service', id: job }, relations: [], used: new Set(['job']) };
  return { subject: host ? serverSubject(host) : fallback(), relations: [], used: new Set() };
}
