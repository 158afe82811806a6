import type { Alias, EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import type { Mapping } from './format.ts';

const PROVENANCE = 'powertrace topology';

/**
 * A mapping never states the kind of its entity. Its fields imply it: only a GPU has an index, only a machine has
 * GPUs, an address or a Kubernetes node. Otherwise the kind stays `device` until an event states it.
 */
function kindOf(mapping: Mapping): EntityKind {
  if (mapping.gpu_uuid || (mapping.gpu_index !== null && mapping.gpu_index !== undefined)) return 'gpu';
  if (mapping.gpus?.length || mapping.kubernetes_node || mapping.cloud_instance_id || mapping.asset_tag)
    return 'server';
  if (mapping.feeds?.length) {
    if (/\bups\b|^ups/i.test(mapping.physical_device_id)) return 'ups';
    if (/pdu/i.test(mapping.physical_device_id)) return 'pdu';
    return 'device';
  }
  return mapping.services?.length || mapping.ip_address ? 'server' : 'device';
}

const aliasFields = ['asset_tag', 'ip_address', 'cloud_instance_id', 'gpu_uuid', 'kubernetes_node'] as const;
const aliasesOf = (mapping: Mapping): Alias[] =>
  aliasFields.flatMap((kind) => (mapping[kind] ? [{ kind, name: mapping[kind] }] : []));

/** GPU ids that several machines claim: `GPU-0` of every server. Such an id is ambiguous. */
function ambiguousGpus(mappings: readonly Mapping[]): Set<string> {
  const owners = new Map<string, Set<string>>();
  const claim = (gpu: string, owner: string) => owners.set(gpu, (owners.get(gpu) ?? new Set()).add(owner));
  for (const mapping of mappings) {
    for (const gpu of mapping.gpus ?? []) claim(gpu, mapping.physical_device_id);
    if (mapping.parent_device_id && kindOf(mapping) === 'gpu')
      claim(mapping.physical_device_id, mapping.parent_device_id);
  }
  return new Set([...owners].filter(([, claimants]) => claimants.size > 1).map(([gpu]) => gpu));
}

/**
 * Devices, services and their links. An ambiguous GPU becomes `server/GPU-0`; an event that names only `GPU-0` then
 * stays unmapped, because its server is unknown.
 */
export function appendMappings(builder: BatchBuilder, mappings: readonly Mapping[]): void {
  const kinds = new Map(mappings.map((mapping) => [mapping.physical_device_id, kindOf(mapping)]));
  for (const gpu of mappings.flatMap((mapping) => mapping.gpus ?? [])) if (!kinds.has(gpu)) kinds.set(gpu, 'gpu');
  const ambiguous = ambiguousGpus(mappings);
  const device = (id: string, aliases: Alias[] = []) => builder.entity(kinds.get(id) ?? 'device', id, aliases);
  const gpuOf = (server: string | null | undefined, gpu: string, aliases: Alias[] = []) =>
    server && ambiguous.has(gpu) ? builder.entity('gpu', `${server}/${gpu}`, aliases) : device(gpu, aliases);
  const link = (from: number, kind: EdgeKind, to: number) =>
    builder.table('edge').push({
      from_entity: from,
      kind: builder.name(kind),
      to_entity: to,
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: builder.name(PROVENANCE),
    });
  for (const mapping of mappings) {
    const self = gpuOf(mapping.parent_device_id, mapping.physical_device_id, aliasesOf(mapping));
    for (const fed of mapping.feeds ?? []) link(self, 'feeds', device(fed));
    for (const gpu of mapping.gpus ?? []) link(self, 'contains', gpuOf(mapping.physical_device_id, gpu));
    if (mapping.parent_device_id) link(device(mapping.parent_device_id), 'contains', self);
    if (mapping.rack_id) link(builder.entity('rack', mapping.rack_id), 'contains', self);
    for (const service of mapping.services ?? []) link(builder.entity('service', service), 'runs_on', self);
  }
}
