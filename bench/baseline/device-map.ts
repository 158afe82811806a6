import type { EdgeFact, EntityFact } from '../../src/core/store/facts/reader.ts';
import { type EntityKind, type Layer, layerOf } from '../../src/model/entity.ts';

interface Device {
  readonly kind: EntityKind;
  readonly id: string;
  readonly layer: Layer;
}

/** Whether a device carries the service, only others, or none at all. */
type Mapping = 'mapped' | 'other' | 'unmapped';

/** The seed's lookup: a device maps to the services that run on it, or on anything that it feeds, holds or connects. */
export class DeviceMap {
  private readonly devices = new Map<number, Device>();
  private readonly next = new Map<number, number[]>();
  private readonly carried = new Map<number, ReadonlySet<number>>();

  constructor(entities: readonly EntityFact[], edges: readonly EdgeFact[], at_ns: bigint) {
    for (const { entity_id, canonical_id, kind, id } of entities)
      if (entity_id === canonical_id) this.devices.set(entity_id, { kind, id, layer: layerOf(kind) });
    for (const { from_id, kind, to_id, valid_from_ns, valid_to_ns } of edges) {
      if (valid_from_ns > at_ns || valid_to_ns <= at_ns) continue;
      // A card is not spoken of apart from its machine: what runs on the machine runs on it.
      if (kind === 'contains') this.link(to_id, from_id);
      if (kind === 'feeds' || kind === 'contains' || kind === 'connects') this.link(from_id, to_id);
      if (kind === 'runs_on') this.link(to_id, from_id);
    }
  }

  private link(from: number, to: number): void {
    // Never from a part up to a rack or a coolant loop and down again to the neighbours.
    if (this.devices.get(to)?.kind === 'rack' && this.devices.get(from)?.kind !== 'cooling') return;
    const list = this.next.get(from);
    if (list) list.push(to);
    else this.next.set(from, [to]);
  }

  device(entity: number): Device | undefined {
    return this.devices.get(entity);
  }

  mapping(entity: number, service: number): Mapping {
    if (entity === service) return 'mapped';
    const services = this.servicesOf(entity);
    return services.has(service) ? 'mapped' : services.size > 0 ? 'other' : 'unmapped';
  }

  private servicesOf(entity: number): ReadonlySet<number> {
    const known = this.carried.get(entity);
    if (known) return known;
    const services = new Set<number>();
    const seen = new Set([entity]);
    for (const at of seen)
      for (const to of this.next.get(at) ?? [])
        if (this.devices.get(to)?.kind === 'service') services.add(to);
        else seen.add(to);
    this.carried.set(entity, services);
    return services;
  }
}
