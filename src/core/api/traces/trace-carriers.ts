import { type EntityKind, entityKey } from '../../../model/entity.ts';
import { placeAttributes } from '../../../model/telemetry/place-attributes.ts';
import type { AffectedGpu, GpuWorld } from '../../analysis/costs/affected-gpus.ts';
import { placesOf } from '../lanes/lane-places.ts';

/** What the spans of a trace ran on. */
export interface Carriers {
  /** Services first, then their pods and GPUs, then the machines of these. */
  readonly all: readonly { readonly entity: number; readonly key: string; readonly kind: EntityKind }[];
  /** Hosts and pods that the trace names. */
  readonly names: readonly string[];
  /** Of the trace, that name them; empty: it names none. */
  readonly resources: readonly number[];
  /** false: no resource names a host or pod, so all GPUs of its services are listed. */
  readonly isNamed: boolean;
}

interface Place {
  readonly service: number;
  readonly resource: number;
  readonly attributes: string | null;
}

const placeKeys: readonly string[] = [...placeAttributes.host, ...placeAttributes.node, ...placeAttributes.pod];
const MOST_GPUS = 16;
const MOST_PODS = 8;

/** The services of a trace, and the GPUs and machines that carry them: those that its resources name, else all of the services. */
export function carriersOf(
  { entities, edges }: GpuWorld,
  gpusOf: (service: string) => readonly AffectedGpu[],
  places: readonly Place[],
): Carriers {
  const own = entities.filter(({ entity_id, canonical_id }) => entity_id === canonical_id);
  const known = new Map(own.map((one) => [one.entity_id, one]));
  const byKey = new Map(own.map((one) => [entityKey(one.kind, one.id), one.entity_id]));
  const stated = places.map((place) => ({ ...place, names: namesIn(place.attributes) }));
  const names = [...new Set(stated.flatMap((one) => one.names))];
  const services = [...new Set(places.map(({ service }) => service))];
  const gpuKeys = [
    ...new Set(services.flatMap((service) => gpusOf(known.get(service)?.id ?? '').map(({ key }) => key))),
  ];
  const containers = placesOf(entities, edges);
  const isNamedBy = (key: string): boolean => {
    const above = containers(byKey.get(key) ?? -1).map((one) => one.slice(one.indexOf(':') + 1));
    return above.some((one) => names.includes(one) || names.some((name) => one.endsWith(`/${name}`)));
  };
  const named = gpuKeys.filter(isNamedBy);
  const gpus = (named.length > 0 ? named : gpuKeys).slice(0, MOST_GPUS);
  const machines = new Set([
    ...gpus.flatMap((key) => containers(byKey.get(key) ?? -1)),
    ...names.map((name) => entityKey('server', name)),
  ]);
  const servers = [...machines].filter((key) => key.startsWith('server:') && byKey.has(key));
  const near = new Set(
    edges.flatMap(({ kind, from_id, to_id }) => (kind === 'runs_on' && services.includes(from_id) ? [to_id] : [])),
  );
  const all = own.filter(({ kind, entity_id }) => kind === 'pod' && near.has(entity_id));
  const ownPods = all.filter(({ id }) => names.some((name) => id === name || id.endsWith(`/${name}`)));
  const pods = (ownPods.length > 0 ? ownPods : all).slice(0, MOST_PODS).map(({ kind, id }) => entityKey(kind, id));
  const keys = [
    ...services.flatMap((one) => known.get(one) ?? []).map(({ kind, id }) => entityKey(kind, id)),
    ...pods,
    ...gpus,
    ...servers,
  ];
  return {
    all: [...new Set(keys)].flatMap((key) => {
      const entity = byKey.get(key);
      const kind = entity === undefined ? undefined : known.get(entity)?.kind;
      return entity === undefined || kind === undefined ? [] : [{ entity, key, kind }];
    }),
    names,
    resources: stated.flatMap((one) => (one.names.length > 0 ? [one.resource] : [])),
    isNamed: names.length > 0,
  };
}

function namesIn(attributes: string | null): string[] {
  if (!attributes) return [];
  try {
    const read: unknown = JSON.parse(attributes);
    if (typeof read !== 'object' || read === null) return [];
    const found = new Map(Object.entries(read));
    return placeKeys.map((key) => found.get(key)).filter((value) => typeof value === 'string' && value !== '');
  } catch {
    return [];
  }
}
