import type { EntityKind } from '../../../model/entity.ts';

interface Named {
  readonly key: number;
  readonly kind: EntityKind;
  readonly id: string;
}

/** Parts that are named within what they belong to, and what that may be. */
const ownedKinds: ReadonlySet<EntityKind> = new Set(['port', 'outlet', 'breaker', 'nic', 'psu', 'cpu', 'gpu']);
const ownerKinds: ReadonlySet<EntityKind> = new Set(['switch', 'pdu', 'ups', 'server', 'instance', 'device']);

/**
 * A part that nothing is recorded to contain belongs to what its name begins with: `leaf-1/swp7`, `node-01/ens1f0`.
 * @returns owner and part, by key
 */
export function namedParts(nodes: readonly Named[], isContained: (key: number) => boolean): [number, number][] {
  const owners = new Map<string, number>();
  for (const { key, kind, id } of nodes)
    if (ownerKinds.has(kind) && !(owners.has(id) && kind === 'device')) owners.set(id, key);
  return nodes.flatMap(({ key, kind, id }): [number, number][] => {
    const owner = owners.get(id.slice(0, id.lastIndexOf('/')));
    return owner === undefined || !ownedKinds.has(kind) || isContained(key) ? [] : [[owner, key]];
  });
}
