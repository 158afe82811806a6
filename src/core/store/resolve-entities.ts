import { assert } from '../../base/assert.ts';
import type { Session } from '../../model/engine.ts';
import type { EntityKind } from '../../model/entity.ts';

/** Which kind names a merged thing: the physical and specific before the logical and vague. */
const precedence: readonly EntityKind[] = [
  'gpu',
  'cpu',
  'psu',
  'nic',
  'nvlink',
  'outlet',
  'breaker',
  'port',
  'pdu',
  'ups',
  'cooling',
  'switch',
  'rack',
  'server',
  'node',
  'instance',
  'pod',
  'container',
  'process',
  'rank',
  'job',
  'service',
  'device',
];
/** Kinds that may be the same machine under different names. */
const machines = new Set<string>(['server', 'node', 'instance', 'device']);

/** What runs on devices and is never one: a service that is called like a node stays a service. */
const logical = new Set<string>(['service', 'job', 'rank', 'process']);

interface Known {
  readonly entity_id: number;
  readonly kind: EntityKind;
  readonly id: string;
}

/**
 * Decides which entities are one thing under several names, and writes `canonical`.
 * Two are one when a vague `device` has the id of a known thing, when one's alias is the other's id, or when two
 * machines share an alias. Nothing else merges: a service called like a node stays a service.
 */
export async function resolveEntities(session: Session): Promise<void> {
  const table = await session.query('select entity_id, kind, id from entity order by entity_id');
  const entities = (table.columns[0] ?? []).map(
    (entity_id, i) => ({ entity_id, kind: table.columns[1]?.[i], id: table.columns[2]?.[i] }) as Known,
  );
  const aliases = await session.query('select entity_id, kind, name from alias');
  const groups = new Groups(entities);
  mergeSameIds(entities, groups);
  mergeAliases(entities, aliases.columns, groups);
  const canonical = Int32Array.from(entities, (e) => groups.leader(e.entity_id));
  await session.execute('delete from canonical');
  await session.append(
    'canonical',
    [
      { type: 'i32', values: Int32Array.from(entities, (e) => e.entity_id) },
      { type: 'i32', values: canonical },
    ],
    entities.length,
  );
}

class Groups {
  private readonly parent: Map<number, number>;
  private readonly rank: Map<number, number>;
  constructor(entities: readonly Known[]) {
    this.parent = new Map(entities.map((e) => [e.entity_id, e.entity_id]));
    this.rank = new Map(entities.map((e) => [e.entity_id, precedence.indexOf(e.kind)]));
  }

  leader(id: number): number {
    let at = id;
    for (let up = this.parent.get(at); up !== at; up = this.parent.get(at)) {
      assert(up !== undefined, `entity ${id} is unknown`);
      at = up;
    }
    return at;
  }

  /** The more specific kind leads; among equals the one seen first, so that numbers are stable. */
  join(a: number, b: number): void {
    const first = this.leader(a);
    const second = this.leader(b);
    if (first === second) return;
    const order = (this.rank.get(first) ?? 0) - (this.rank.get(second) ?? 0) || first - second;
    if (order <= 0) this.parent.set(second, first);
    else this.parent.set(first, second);
  }
}

function mergeSameIds(entities: readonly Known[], groups: Groups): void {
  const specific = new Map<string, number>();
  for (const e of entities)
    if (e.kind !== 'device' && !logical.has(e.kind) && !specific.has(e.id)) specific.set(e.id, e.entity_id);
  const byId = new Map<string, Known>();
  for (const e of entities) {
    const known = specific.get(e.id);
    if (e.kind === 'device' && known !== undefined) groups.join(known, e.entity_id);
    if (!machines.has(e.kind)) continue;
    const twin = byId.get(e.id);
    if (twin) groups.join(twin.entity_id, e.entity_id);
    else byId.set(e.id, e);
  }
}

function mergeAliases(entities: readonly Known[], aliases: readonly (readonly unknown[])[], groups: Groups): void {
  const kindOf = new Map(entities.map((e) => [e.entity_id, e.kind as string]));
  const byId = new Map<string, Known[]>();
  for (const e of entities) byId.set(e.id, [...(byId.get(e.id) ?? []), e]);
  const owners = new Map<string, number>();
  (aliases[0] ?? []).forEach((value, i) => {
    const owner = value as number;
    const name = aliases[2]?.[i] as string;
    const kind = kindOf.get(owner) as string;
    for (const named of byId.get(name) ?? []) {
      const both = named.kind === kind || named.kind === 'device' || (machines.has(kind) && machines.has(named.kind));
      if (both) groups.join(owner, named.entity_id);
    }
    if (!machines.has(kind)) return;
    const key = `${aliases[1]?.[i]}\n${name}`;
    const other = owners.get(key);
    if (other === undefined) owners.set(key, owner);
    else groups.join(other, owner);
  });
}
