import { type Alias, type EntityKind, entityKinds } from '../../../model/entity.ts';
import { assignedName, isDistinguishing } from '../../../model/incident/assigned-name.ts';
import { rankId } from '../../../model/rank-name.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { hostOfInstance } from '../series-meaning/host-of-instance.ts';
import { rankAliases } from '../workload/rank.ts';
import { rankOf } from '../workload/rank-of.ts';

/** An entity as a resource names it. */
export interface NamedEntity {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases: readonly Alias[];
  readonly attributes: string;
}

/** Entities and names from a resource. */
export interface ResourceMeaning {
  /** What rows on this resource are about: the named entity, else a GPU, the service, the closest machine. */
  readonly subject: NamedEntity | undefined;
  readonly service: NamedEntity | undefined;
  /** Names the machine for identities that are only unique on it. */
  readonly host: string;
  /** Where the collector scraped it, '' for its own machine; undefined: it was not scraped. Then points have the labels of the page. */
  readonly scraped: string | undefined;
  /** The machine of that name. */
  readonly machine: NamedEntity | undefined;
  readonly entities: readonly NamedEntity[];
  readonly edges: readonly { readonly from: NamedEntity; readonly kind: EdgeKind; readonly to: NamedEntity }[];
}

export type Attributes = Readonly<Record<string, unknown>>;

/** Attributes that were rendered by this folder, as an object; '' and anything unreadable is empty. */
export function parseAttributes(text: string): Attributes {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Attributes) : {};
}

function attributeText(attributes: Attributes, key: string): string {
  const value = attributes[key];
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}

const alias = (kind: string, name: string): Alias[] => (name === '' ? [] : [{ kind, name }]);

function pickAttributes(attributes: Attributes, keys: readonly string[]): string {
  const known = keys
    .filter((key) => attributeText(attributes, key) !== '')
    .map((key) => [key, attributeText(attributes, key)] as const);
  return known.length === 0 ? '' : JSON.stringify(Object.fromEntries(known));
}

/** Kinds of the hardware semantic convention (`hw.type`) that have a kind of their own here. */
const hardware: Readonly<Record<string, EntityKind>> = {
  gpu: 'gpu',
  power_supply: 'psu',
  cpu: 'cpu',
  network: 'nic',
  fan: 'cooling',
  enclosure: 'server',
  host: 'server',
};

/** The entity that `faultline.entity.kind` and `faultline.entity.id` name outright. */
export function explicitEntity(attributes: Attributes): NamedEntity | undefined {
  const kind = attributeText(attributes, 'faultline.entity.kind') as EntityKind;
  const id = attributeText(attributes, 'faultline.entity.id');
  return id !== '' && entityKinds.includes(kind) ? { kind, id, aliases: [], attributes: '' } : undefined;
}

const GPU_UUID = /^(?:GPU|MIG)-[0-9a-f]{8}-/i;
/** `GPU-1`, `1`; `cuda:1` counts what the process may see. */
export const GPU_INDEX = /^(?:gpu|nvidia)?[-_: ]?(\d{1,3})$/i;

/** The GPU that attributes name: by UUID wherever one is given, else by its index or bus address on the host. */
function gpuEntity(attributes: Attributes, host: string): NamedEntity | undefined {
  const uuid =
    attributeText(attributes, 'gpu.uuid') || attributeText(attributes, 'UUID') || attributeText(attributes, 'gpu_uuid');
  const id = attributeText(attributes, 'gpu.id') || attributeText(attributes, 'gpu');
  const isIndex = /^\d{1,3}$/.test(id);
  const device = attributeText(attributes, 'gpu.index') || attributeText(attributes, 'gpu.device_id');
  const stated = assignedName(uuid) || (isIndex ? '' : assignedName(id));
  const unique = stated || (GPU_UUID.test(device) ? device : '');
  const index = isIndex ? id : GPU_INDEX.exec(device)?.[1];
  // Every host has a GPU 0, and most have one at the same bus address.
  if (unique === '' && host === '') return undefined;
  const pci = attributeText(attributes, 'pci_bus_id');
  const names = identifyGpu({ uuid: unique, host, index, pci });
  return names && { kind: 'gpu', ...names, attributes: '' };
}

/** `hw.id` is unique within a host (semantic conventions, hardware metrics): elsewhere the host must be stated, too. */
function hardwareEntity(attributes: Attributes, host: string): NamedEntity | undefined {
  const id = attributeText(attributes, 'hw.id');
  const type = attributeText(attributes, 'hw.type');
  if (id === '' || type === '') return undefined;
  const known = pickAttributes(attributes, [
    'hw.type',
    'hw.name',
    'hw.model',
    'hw.vendor',
    'hw.serial_number',
    'hw.parent',
  ]);
  const kind = hardware[type] ?? 'device';
  const gpu = kind === 'gpu' ? gpuEntity(attributes, host) : undefined;
  if (gpu) return { ...gpu, attributes: known };
  const unique = kind === 'server' || host === '' || id.startsWith(host) || (kind === 'gpu' && /^(GPU|MIG)-/i.test(id));
  return {
    kind,
    id: unique ? id : `${host}/${id}`,
    aliases: alias('asset_tag', assignedName(attributeText(attributes, 'hw.serial_number'))),
    attributes: known,
  };
}

/** The entity in the attributes of a data point or record, if any. */
export const namedEntity = (attributes: Attributes, host: string): NamedEntity | undefined =>
  explicitEntity(attributes) ?? hardwareEntity(attributes, host) ?? gpuEntity(attributes, host);

function addresses(attributes: Attributes, key: string): Alias[] {
  const value = attributes[key];
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((name): name is string => typeof name === 'string' && name !== '')
    .map((name) => ({ kind: 'ip_address', name }));
}

function serviceEntity(attributes: Attributes): NamedEntity | undefined {
  const id = attributeText(attributes, 'service.name');
  const known = pickAttributes(attributes, [
    'service.namespace',
    'deployment.environment.name',
    'deployment.environment',
  ]);
  return id === '' ? undefined : { kind: 'service', id, aliases: [], attributes: known };
}

function podEntity(attributes: Attributes): NamedEntity | undefined {
  const name = attributeText(attributes, 'k8s.pod.name');
  if (name === '') return undefined;
  const namespace = attributeText(attributes, 'k8s.namespace.name');
  const aliases = [
    ...alias('kubernetes_pod_uid', attributeText(attributes, 'k8s.pod.uid')),
    ...addresses(attributes, 'k8s.pod.ip'),
  ];
  return { kind: 'pod', id: namespace === '' ? name : `${namespace}/${name}`, aliases, attributes: '' };
}

function nodeEntity(attributes: Attributes): NamedEntity | undefined {
  const id = attributeText(attributes, 'k8s.node.name');
  if (id === '') return undefined;
  return {
    kind: 'node',
    id,
    aliases: alias('kubernetes_node', id),
    attributes: pickAttributes(attributes, ['k8s.cluster.name']),
  };
}

function containerEntity(attributes: Attributes): NamedEntity | undefined {
  const id = attributeText(attributes, 'container.id');
  const known = pickAttributes(attributes, ['container.name', 'k8s.container.name', 'container.image.name']);
  return id === '' ? undefined : { kind: 'container', id, aliases: [], attributes: known };
}

function instanceEntity(attributes: Attributes): NamedEntity | undefined {
  if (attributeText(attributes, 'cloud.provider') === '') return undefined;
  const resource = attributeText(attributes, 'cloud.resource_id');
  const id = attributeText(attributes, 'host.id') || resource;
  if (id === '') return undefined;
  const aliases = [
    ...alias('cloud_instance_id', id),
    ...alias('cloud_instance_id', resource === id ? '' : resource),
    ...alias('host_name', assignedName(attributeText(attributes, 'host.name'))),
  ];
  return {
    kind: 'instance',
    id,
    aliases,
    attributes: pickAttributes(attributes, ['cloud.provider', 'cloud.region', 'cloud.availability_zone', 'host.type']),
  };
}

function serverEntity(attributes: Attributes): NamedEntity | undefined {
  const name = assignedName(attributeText(attributes, 'host.name'));
  const hostId = attributeText(attributes, 'host.id');
  const cloud = attributeText(attributes, 'cloud.provider') !== '';
  const id = name || (cloud ? '' : hostId);
  // Inside a pod or container the host name is by default that of the pod, or the first digits of the container id.
  if (
    id === '' ||
    id === attributeText(attributes, 'k8s.pod.name') ||
    attributeText(attributes, 'container.id').startsWith(id)
  )
    return undefined;
  const aliases = [
    ...alias('host_name', name),
    ...alias(cloud ? 'cloud_instance_id' : 'host_id', hostId),
    ...addresses(attributes, 'host.ip'),
  ];
  return { kind: 'server', id, aliases, attributes: pickAttributes(attributes, ['host.type', 'host.arch', 'os.type']) };
}

/**
 * The host of a target of Prometheus, as the collector's receiver keeps it
 * (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#resource-attributes-1).
 */
function scrapedHost(attributes: Attributes): string | undefined {
  const has = (...keys: string[]): boolean => keys.some((key) => attributeText(attributes, key) !== '');
  const instance = attributeText(attributes, 'service.instance.id');
  if (!/:\d+$/.test(instance) || !has('url.scheme', 'http.scheme') || !has('server.port', 'net.host.port'))
    return undefined;
  const host = hostOfInstance(instance);
  return isDistinguishing({ kind: 'ip_address', name: host }) ? host : '';
}

const shortName = (name: string): string => name.split('.', 1)[0]!;

/** Resource attributes (OpenTelemetry semantic conventions for resources) as entities and edges. */
export function readResource(attributes: Attributes): ResourceMeaning {
  const service = serviceEntity(attributes);
  const container = containerEntity(attributes);
  const pod = podEntity(attributes);
  const node = nodeEntity(attributes);
  const server = serverEntity(attributes);
  const instance = instanceEntity(attributes);
  const host = server?.id ?? node?.id ?? '';
  const named = explicitEntity(attributes) ?? hardwareEntity(attributes, host);
  const gpu = gpuEntity(attributes, host);
  const rank = rankOf(attributes);
  const worker: NamedEntity | undefined = rank && {
    kind: 'rank',
    id: rankId(rank.rank, rank.job),
    aliases: rankAliases(rank),
    attributes: '',
  };
  const job: NamedEntity | undefined =
    rank?.alias === 'rank_of_job' ? { kind: 'job', id: rank.job, aliases: [], attributes: '' } : undefined;
  const machine = pod ?? node ?? server ?? instance;
  const edges: { from: NamedEntity; kind: EdgeKind; to: NamedEntity }[] = [];
  if (service && machine) edges.push({ from: service, kind: 'runs_on', to: machine });
  if (pod && (node ?? server)) edges.push({ from: pod, kind: 'runs_on', to: (node ?? server) as NamedEntity });
  if (container && pod) edges.push({ from: container, kind: 'member_of', to: pod });
  if (node && server && shortName(node.id) === shortName(server.id))
    edges.push({ from: node, kind: 'runs_on', to: server });
  if (worker && machine) edges.push({ from: worker, kind: 'runs_on', to: machine });
  if (worker && gpu) edges.push({ from: worker, kind: 'runs_on', to: gpu });
  const work = job ?? service;
  if (worker && work) edges.push({ from: worker, kind: 'member_of', to: work });
  if (gpu && (server ?? node)) edges.push({ from: (server ?? node) as NamedEntity, kind: 'contains', to: gpu });
  const entities = [named, service, container, pod, node, server, instance, gpu, worker, job].filter(
    (entity) => entity !== undefined,
  );
  return {
    subject: named ?? gpu ?? service ?? container ?? machine,
    service,
    host,
    scraped: scrapedHost(attributes),
    machine: server ?? node,
    entities,
    edges,
  };
}
