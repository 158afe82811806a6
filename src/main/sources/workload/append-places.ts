import { assignedName } from '../../../model/incident/assigned-name.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import type { StatedPlace } from '../../../model/telemetry/place-attributes.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { GPU_INDEX, parseAttributes, type ResourceMeaning, readResource } from '../otlp/resources.ts';
import { rankEntity } from './rank.ts';
import { placePart, rankOf } from './rank-of.ts';

const PROVENANCE = 'span and log attributes';
const GPU_UUID = /^(?:GPU|MIG)-[0-9a-f]{8}-/i;
/** Entities and links that records name in their own attributes, beside those of their resource. */
export function readPlaces(places: readonly StatedPlace[]): RowBatch {
  const builder = new BatchBuilder();
  for (const place of places) appendPlace(builder, place);
  return builder.finish(0);
}

function appendPlace(builder: BatchBuilder, { resource, attributes }: StatedPlace): void {
  const stated = { ...parseAttributes(resource), ...attributes };
  const { service, machine, edges, entities } = readResource(stated);
  const known = new Set(readResource(parseAttributes(resource)).edges.map(keyOf));
  const number = ({ kind, id, aliases, attributes: text }: (typeof entities)[number]): number =>
    builder.entity(kind, id, aliases, text);
  const link = (from: number, kind: EdgeKind, to: number): void => {
    if (from !== to) appendEdge(builder, { from, kind, to, provenance: PROVENANCE });
  };
  for (const edge of edges) if (!known.has(keyOf(edge))) link(number(edge.from), edge.kind, number(edge.to));
  const host = machine?.id ?? '';
  const gpu = gpuOf(builder, stated, host);
  if (machine && gpu >= 0) link(number(machine), 'contains', gpu);
  const rank = rankOf(stated);
  const worker = rank ? rankEntity(builder, rank) : service ? number(service) : -1;
  if (worker < 0) return;
  if (rank?.alias === 'rank_of_unnamed_job' && service) link(worker, 'member_of', number(service));
  const pod = podOf(builder, stated);
  if (pod >= 0) link(worker, 'runs_on', pod);
  if (gpu >= 0) link(worker, 'runs_on', gpu);
}

const keyOf = ({ from, kind, to }: ResourceMeaning['edges'][number]): string =>
  `${from.kind}:${from.id} ${kind} ${to.kind}:${to.id}`;

/** A number or an address names a GPU of the machine only. */
function gpuOf(builder: BatchBuilder, stated: Readonly<Record<string, unknown>>, host: string): number {
  const named = assignedName(placePart(stated, 'gpu_uuid'));
  const uuid = GPU_UUID.test(named) ? named : undefined;
  const index = GPU_INDEX.exec(placePart(stated, 'gpu_index'))?.[1];
  if (uuid === undefined && host === '') return -1;
  const names = identifyGpu({ uuid, host, index, pci: placePart(stated, 'pci') });
  return names ? builder.entity('gpu', names.id, names.aliases) : -1;
}

/** A pod that is named by its uid alone; one with a name is in the resource's meaning. */
function podOf(builder: BatchBuilder, stated: Readonly<Record<string, unknown>>): number {
  const uid = placePart(stated, 'pod_uid');
  return uid === '' || placePart(stated, 'pod') !== '' ? -1 : builder.entity('pod', uid);
}
