import type { Alias, EntityKind } from '../../../model/entity.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { OWNER } from '../../../model/telemetry/workload-name.ts';
import { parseTime } from '../../../model/time.ts';
import { asList, asObject, asText, at, type Json } from '../bytes/json-access.ts';

/** Receives the objects of one file. */
export interface Target {
  readonly builder: BatchBuilder;
  readonly file: string;
  /** Time of states without a start time. */
  readonly captured_ns: bigint;
}

const alias = (kind: string, name: string): Alias[] => (name === '' ? [] : [{ kind, name }]);

/** Controllers of pods, and what controls these; their pods are members of them. */
export const workloads: ReadonlySet<string> = new Set([
  ...['Job', 'CronJob', 'Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet', 'Rollout'],
  ...['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'TrainJob'],
  ...['JobSet', 'LeaderWorkerSet', 'RayJob', 'RayCluster', 'RayService', 'PodGroup', 'Workflow'],
]);

const kindOf = (kind: string): EntityKind =>
  kind === 'Pod'
    ? 'pod'
    : kind === 'Node'
      ? 'node'
      : kind === 'Service'
        ? 'service'
        : workloads.has(kind)
          ? 'job'
          : 'device';

/** What an event or an owner reference points at; -1 when it has no name. */
export function referenced(builder: BatchBuilder, reference: Json, namespace = ''): number {
  const kind = kindOf(asText(reference.kind));
  const name = asText(reference.name);
  if (name === '') return -1;
  const space = asText(reference.namespace) || namespace;
  if (kind === 'node') return builder.entity('node', name, [{ kind: 'kubernetes_node', name }]);
  const id = space === '' ? name : `${space}/${name}`;
  if (kind === 'pod') return builder.entity('pod', id, alias('kubernetes_pod_uid', asText(reference.uid)));
  return kind === 'device'
    ? builder.entity('device', `${asText(reference.kind)} ${id}`.trim())
    : builder.entity(kind, id);
}

/**
 * What manages an object: of its owners the one that is marked as its controller, else the only one. undefined: none is stated.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
export function controllerOf(object: Json): Json | undefined {
  const owners = asList(at(object, 'metadata', 'ownerReferences')).map(asObject);
  return owners.find(({ controller }) => controller === true) ?? (owners.length === 1 ? owners[0] : undefined);
}

/**
 * Links an object with its controller, in whose namespace it is. Whatever controls pods is a workload, of whichever kind, but for a node,
 * which controls its static pods, and a pod that leads others.
 */
export function appendController({ builder }: Target, object: Json, entity: number): void {
  const controller = controllerOf(object);
  if (!controller || controller.kind === 'Node') return;
  const workload = controller.kind === 'Pod' ? controller : { ...controller, kind: 'Job' };
  const to = referenced(builder, workload, asText(at(object, 'metadata', 'namespace')));
  // The parts of a LeaderWorkerSet have its name.
  if (to >= 0 && to !== entity) appendEdge(builder, { from: entity, kind: 'member_of', to, provenance: OWNER });
}

/** Labels and capacities that an investigator needs; the rest of a node object stays in the file. */
const nodeLabels =
  /instance-type|zone|region|nodepool|gpu\.product-name|gpu\.intel\.com\/product|nvidia\.com\/(gpu\.(product|machine|count|memory)|cuda)|rack|topology/;

export function nodeEntity(builder: BatchBuilder, node: Json): number {
  const name = asText(at(node, 'metadata', 'name'));
  const addresses = (at(node, 'status', 'addresses') as readonly unknown[] | undefined) ?? [];
  const aliases = [
    ...alias('kubernetes_node', name),
    ...(Array.isArray(addresses) ? addresses : []).flatMap((one) => {
      const { type, address } = asObject(one);
      const text = asText(address);
      if (/IP$/.test(asText(type))) return alias('ip_address', text);
      return type === 'Hostname' || type === 'InternalDNS' ? alias('host_name', text) : [];
    }),
    ...alias('cloud_instance_id', providerInstance(asText(at(node, 'spec', 'providerID')))),
    ...alias('host_id', asText(at(node, 'status', 'nodeInfo', 'systemUUID')).toLowerCase()),
  ];
  const labels = Object.entries(asObject(at(node, 'metadata', 'labels'))).filter(([key]) => nodeLabels.test(key));
  const capacity = asText(at(node, 'status', 'capacity', 'nvidia.com/gpu'));
  const { kubeletVersion, kernelVersion } = asObject(at(node, 'status', 'nodeInfo'));
  const attributes = {
    ...Object.fromEntries(labels),
    gpus: capacity || undefined,
    unschedulable: at(node, 'spec', 'unschedulable') === true || undefined,
    kubelet: asText(kubeletVersion) || undefined,
    kernel: asText(kernelVersion) || undefined,
  };
  return builder.entity('node', name, aliases, attributesText(attributes));
}

/** `aws:///us-east-1a/i-0abc`, `gce://project/zone/name`, `azure:///subscriptions/…`: the provider's own name. */
function providerInstance(providerId: string): string {
  const path = providerId.replace(/^[a-z]+:\/\/+/, '');
  if (path === '' || path === providerId) return '';
  return providerId.startsWith('azure:') ? `/${path.toLowerCase()}` : path.split('/').at(-1)!;
}

/** A time of the Kubernetes API, which always has a zone; undefined for null, absent and (remarked) unreadable ones. */
export function timeOf(builder: BatchBuilder, value: unknown): bigint | undefined {
  const text = asText(value);
  if (text === '') return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    builder.remark(error.problem.message);
    return undefined;
  }
}
