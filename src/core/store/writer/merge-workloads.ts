import type { Session } from '../../../model/storage/engine.ts';
import { OWNER, WORKLOAD_OF_POD } from '../../../model/telemetry/workload-name.ts';

/** Owners above a pod: of a LeaderWorkerSet its set, leader, set and itself. */
const MOST_OWNERS = 8;

interface Entity {
  readonly entity_id: number;
  readonly kind: string;
  readonly id: string;
}

export interface Joining {
  readonly entities: readonly Entity[];
  readonly names: readonly { readonly owner: number; readonly kind: string; readonly name: string }[];
  leader(id: number): number;
  join(a: number, b: number, reason: string): void;
  /** Among equals another entity leads. */
  demote(id: number): void;
}

/**
 * Services that were called after the names of their pods are one where these pods have the same owner, as Kubernetes recorded it:
 * what it states counts before what a name suggests. A service whose pods have several owners stays what it is.
 */
export async function mergeWorkloads(
  session: Session,
  { entities, names, leader, join, demote }: Joining,
): Promise<void> {
  const guessed = Map.groupBy(
    names.filter(({ kind }) => kind === WORKLOAD_OF_POD),
    ({ owner }) => owner,
  );
  if (guessed.size === 0) return;
  const rootOf = await readOwners(session, leader);
  const pods = new Map(entities.filter(({ kind }) => kind === 'pod').map(({ id, entity_id }) => [id, entity_id]));
  const workloads = new Map(entities.map(({ entity_id, id }) => [entity_id, id]));
  const services = new Map(
    entities.filter(({ kind }) => kind === 'service').map(({ id, entity_id }) => [id, entity_id]),
  );
  const first = new Map<number, number>();
  for (const [service, replicas] of guessed) {
    const roots = new Set(replicas.flatMap(({ name }) => rootOf(pods.get(name)) ?? []));
    const [root] = roots;
    if (root === undefined || roots.size > 1) continue;
    const workload = workloads.get(root) ?? '';
    const other = first.get(root) ?? services.get(workload.split('/').at(-1)!) ?? service;
    first.set(root, other);
    if (other === service) continue;
    demote(service);
    join(other, service, `its pods are of ${workload}`);
  }
}

/** @returns the workload at the top of a pod's recorded owners; undefined: none was recorded */
async function readOwners(session: Session, leader: Joining['leader']): Promise<(pod?: number) => number | undefined> {
  const { columns, count } = await session.query(
    'select distinct from_entity, to_entity from edge join name on name_id = provenance where text = $1',
    [OWNER],
  );
  /** Several: an object was made again under another owner. */
  const owners = new Map<number, number | 'several'>();
  for (let row = 0; row < count; row++) {
    const [owned, owner] = [leader(columns[0]?.[row] as number), leader(columns[1]?.[row] as number)];
    owners.set(owned, (owners.get(owned) ?? owner) === owner ? owner : 'several');
  }
  return (pod) => {
    let top = pod === undefined ? undefined : owners.get(leader(pod));
    for (let i = 0; typeof top === 'number' && owners.has(top) && i < MOST_OWNERS; i++) top = owners.get(top);
    return top === 'several' ? undefined : top;
  };
}
