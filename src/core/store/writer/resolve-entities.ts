import { assert } from '../../../base/assert.ts';
import { type Alias, type EntityKind, entityKey } from '../../../model/entity.ts';
import { assignedName, isDistinguishing } from '../../../model/incident/assigned-name.ts';
import { type RankAlias, readRankId } from '../../../model/rank-name.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { WORKLOAD_OF_POD, WORKLOAD_OF_SCALER } from '../../../model/telemetry/workload-name.ts';
import { textColumn } from './identities.ts';
import { mergeParts } from './merge-parts.ts';
import { type Joining, mergeWorkloads } from './merge-workloads.ts';

/** Priority of kinds for a merged entity: physical and specific before logical and vague. */
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

/** Devices whose own logs arrive as those of a host. */
const withOwnLogs = new Set<string>(['switch', 'pdu', 'ups', 'cooling']);

/** Workloads, which are never devices: a service with the name of a node stays a service. */
const logical = new Set<string>(['service', 'job', 'rank', 'process']);

/** A GPU with an id that is independent of its slot. */
const GPU_UUID = /^GPU-[0-9a-f-]{36}$/i;

interface Known {
  readonly entity_id: number;
  readonly kind: EntityKind;
  readonly id: string;
}

/**
 * Decides which entities are aliases of each other, and writes `canonical` and the reasons (`merge`).
 * Two are one when a vague `device` has the id of a known entity, when one's alias is the other's id, when two
 * machines share an alias (in any case: DNS names, UUIDs and resource ids have none), when two GPUs, supplies or ports have the
 * same place in one machine, when two ranks have one number and only one job can be meant, when a pod
 * without a namespace has the name of one pod only, when a service has the id of a job, jobs have the same ranks, or
 * a host that of a switch, PDU, UPS or cooling unit, or when two services that are called
 * after pods are of one workload. Nothing else merges: a service called like a node stays a service, a placeholder is no name,
 * and GPUs of different UUIDs are never one. What the investigator holds apart stays apart, also by way of a third name.
 */
export async function resolveEntities(session: Session): Promise<void> {
  const table = await session.query('select entity_id, kind, id from entity order by entity_id');
  const entities = (table.columns[0] ?? []).map(
    (entity_id, i) => ({ entity_id, kind: table.columns[1]?.[i], id: table.columns[2]?.[i] }) as Known,
  );
  const aliases = await session.query('select entity_id, kind, name from alias');
  const groups = new Groups(entities, await readSeparatedPairs(session, entities));
  mergeSameIds(entities, groups);
  mergeJobs(entities, groups);
  const names = (aliases.columns[0] ?? []).map(
    (owner, i) => ({ owner, kind: aliases.columns[1]?.[i], name: aliases.columns[2]?.[i] }) as OwnedName,
  );
  mergeAliases(entities, names.filter(isDistinguishing), groups);
  mergeShortNames(entities, names, groups);
  mergePods(entities, groups);
  mergeGpuPlaces(entities, names, groups);
  mergeRanks(entities, names, groups);
  const joining: Joining = {
    entities,
    names,
    leader: (id) => groups.leader(id),
    join: (a, b, reason) => groups.join(a, b, reason),
    demote: (id) => groups.demote(id),
  };
  mergeParts(joining, await readGivenNames(session, entities));
  await mergeWorkloads(session, joining);
  await session.execute('delete from canonical; delete from merge');
  await session.append(
    'canonical',
    [
      { type: 'i32', values: Int32Array.from(entities, (e) => e.entity_id) },
      { type: 'i32', values: Int32Array.from(entities, (e) => groups.leader(e.entity_id)) },
    ],
    entities.length,
  );
  await session.append(
    'merge',
    [
      { type: 'i32', values: Int32Array.from(groups.reasons, ({ entity }) => entity) },
      { type: 'i32', values: Int32Array.from(groups.reasons, ({ other }) => other) },
      textColumn(groups.reasons.map(({ reason }) => reason)),
    ],
    groups.reasons.length,
  );
}

interface OwnedName extends Alias {
  readonly owner: number;
}

/** What recorders call supplies and fans that they number. */
async function readGivenNames(session: Session, entities: readonly Known[]): Promise<ReadonlyMap<number, string>> {
  if (!entities.some(({ kind }) => kind === 'psu' || kind === 'cooling')) return new Map();
  const { columns, count } = await session.query(
    "select entity_id, attributes ->> '$.name' from entity where kind in ('psu', 'cooling') and attributes is not null",
  );
  return new Map(Array.from({ length: count }, (_, i) => [Number(columns[0]?.[i]), String(columns[1]?.[i] ?? '')]));
}

/** Pairs of entity numbers that must not become one. */
async function readSeparatedPairs(
  session: Session,
  entities: readonly Known[],
): Promise<(readonly [number, number])[]> {
  const pairs = await session.query("select kind || ':' || id, other_kind || ':' || other_id from held_apart");
  if (pairs.count === 0) return [];
  const byKey = new Map(entities.map((e) => [entityKey(e.kind, e.id), e.entity_id]));
  return (pairs.columns[0] ?? []).flatMap((key, i) => {
    const one = byKey.get(key as string);
    const other = byKey.get(pairs.columns[1]?.[i] as string);
    return one === undefined || other === undefined ? [] : [[one, other] as const];
  });
}

class Groups {
  private readonly parent: Map<number, number>;
  private readonly rank: Map<number, number>;
  private readonly apart: readonly (readonly [number, number])[];
  /** UUID of the GPU that a group is, by its leader. */
  private readonly uuid: Map<number, string>;
  readonly reasons: { readonly entity: number; readonly other: number; readonly reason: string }[] = [];

  constructor(entities: readonly Known[], apart: readonly (readonly [number, number])[]) {
    this.parent = new Map(entities.map((e) => [e.entity_id, e.entity_id]));
    this.rank = new Map(entities.map((e) => [e.entity_id, precedence.indexOf(e.kind)]));
    this.apart = apart;
    this.uuid = new Map(
      entities
        .filter(({ kind, id }) => kind === 'gpu' && GPU_UUID.test(id))
        .map((e) => [e.entity_id, e.id.toLowerCase()]),
    );
  }

  leader(id: number): number {
    let at = id;
    for (let up = this.parent.get(at); up !== at; up = this.parent.get(at)) {
      assert(up !== undefined, `entity ${id} is unknown`);
      at = up;
    }
    // The way is shortened for the next one who asks: chains of names may be long.
    this.parent.set(id, at);
    return at;
  }

  demote(id: number): void {
    this.rank.set(id, precedence.length);
  }

  /** The more specific kind leads; among equals the one seen first, so that numbers are stable. */
  join(a: number, b: number, reason: string): void {
    const first = this.leader(a);
    const second = this.leader(b);
    if (first === second || this.areApart(first, second)) return;
    const uuid = this.uuid.get(first) ?? this.uuid.get(second);
    if ((this.uuid.get(second) ?? uuid) !== uuid) return;
    this.reasons.push({ entity: a, other: b, reason });
    const order = (this.rank.get(first) ?? 0) - (this.rank.get(second) ?? 0) || first - second;
    const [leader, follower] = order <= 0 ? [first, second] : [second, first];
    this.parent.set(follower, leader);
    if (uuid !== undefined) this.uuid.set(leader, uuid);
  }

  private areApart(first: number, second: number): boolean {
    return this.apart.some(([a, b]) => {
      const one = this.leader(a);
      const other = this.leader(b);
      return (one === first && other === second) || (one === second && other === first);
    });
  }
}

/** A pod without a namespace is the only pod of that name with one; where several namespaces have such a pod, any may be meant. */
function mergePods(entities: readonly Known[], groups: Groups): void {
  const pods = entities.filter(({ kind }) => kind === 'pod');
  const bare = pods.filter(({ id }) => !id.includes('/'));
  if (bare.length === 0 || bare.length === pods.length) return;
  const byName = Map.groupBy(
    pods.filter(({ id }) => id.includes('/')),
    ({ id }) => id.slice(id.indexOf('/') + 1),
  );
  for (const { id, entity_id } of bare) {
    const leaders = new Set((byName.get(id) ?? []).map((pod) => groups.leader(pod.entity_id)));
    const [only] = leaders;
    if (only === undefined || leaders.size > 1) continue;
    groups.demote(entity_id);
    groups.join(only, entity_id, `the only pod called ${id}`);
  }
}

function mergeSameIds(entities: readonly Known[], groups: Groups): void {
  const named = entities.filter(({ id }) => assignedName(id) !== '');
  const specific = new Map<string, number>();
  for (const e of named)
    if (e.kind !== 'device' && !logical.has(e.kind) && !specific.has(e.id)) specific.set(e.id, e.entity_id);
  const devices = new Map(named.filter(({ kind }) => withOwnLogs.has(kind)).map((e) => [e.id, e.entity_id]));
  const byId = new Map<string, Known>();
  for (const e of named) {
    const known = e.kind === 'device' ? specific.get(e.id) : machines.has(e.kind) ? devices.get(e.id) : undefined;
    if (known !== undefined) groups.join(known, e.entity_id, `both are called ${e.id}`);
    if (!machines.has(e.kind)) continue;
    const twin = byId.get(e.id.toLowerCase());
    if (twin) groups.join(twin.entity_id, e.entity_id, `both are called ${e.id}`);
    else byId.set(e.id.toLowerCase(), e);
  }
}

/** One program writes its name as a service, a scheduler or a topology file writes the same name as a job. */
function mergeJobs(entities: readonly Known[], groups: Groups): void {
  const jobs = new Map(entities.filter(({ kind }) => kind === 'job').map((job) => [job.id, job.entity_id]));
  for (const { kind, id, entity_id } of entities) {
    const job = kind === 'service' ? jobs.get(id) : undefined;
    if (job !== undefined) groups.join(job, entity_id, `both are called ${id}`);
  }
}

const hostAliases = new Set(['host_name', 'kubernetes_node']);

/**
 * `node-3` is `node-3.example.com` when the case knows one machine of that full name and no other: records of one cluster
 * write their hosts either way. With two domains the short name is ambiguous.
 */
function mergeShortNames(entities: readonly Known[], names: readonly OwnedName[], groups: Groups): void {
  const kindOf = new Map(entities.map((e) => [e.entity_id, e.kind]));
  const hosts = [
    ...entities.filter(({ kind }) => machines.has(kind)).map(({ entity_id, id }) => ({ owner: entity_id, name: id })),
    ...names.filter(({ owner, kind }) => hostAliases.has(kind) && machines.has(kindOf.get(owner) ?? '')),
  ].map(({ owner, name }) => ({ owner, name: name.toLowerCase() }));
  const isFull = (name: string) => /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(name) && !/^[\d.]+$/.test(name);
  const full = Map.groupBy(
    hosts.filter(({ name }) => isFull(name)),
    ({ name }) => name.split('.')[0]!,
  );
  for (const { owner, name } of hosts) {
    const same = full.get(name) ?? [];
    if (assignedName(name) === '' || new Set(same.map((one) => one.name)).size !== 1) continue;
    for (const one of same) groups.join(one.owner, owner, `host name ${name} of ${one.name}`);
  }
}

function mergeAliases(entities: readonly Known[], aliases: readonly OwnedName[], groups: Groups): void {
  const kindOf = new Map(entities.map((e) => [e.entity_id, e.kind]));
  const byId = Map.groupBy(entities, ({ id }) => id.toLowerCase());
  const owners = new Map<string, number>();
  for (const { owner, kind: aliasKind, name } of aliases) {
    if (rankAliases.has(aliasKind) || aliasKind === WORKLOAD_OF_POD) continue;
    const kind = kindOf.get(owner)!;
    for (const named of byId.get(name.toLowerCase()) ?? []) {
      // What an autoscaler is called was a guess at what it scales.
      if (aliasKind === WORKLOAD_OF_SCALER) groups.demote(named.entity_id);
      const both = named.kind === kind || named.kind === 'device' || (machines.has(kind) && machines.has(named.kind));
      if (both) groups.join(owner, named.entity_id, `${aliasKind} ${name}`);
    }
    if (!machines.has(kind)) continue;
    const key = `${aliasKind}\n${name.toLowerCase()}`;
    const other = owners.get(key);
    if (other === undefined) owners.set(key, owner);
    else groups.join(other, owner, `same ${aliasKind} ${name}`);
  }
}

const rankAliases: ReadonlySet<string> = new Set<RankAlias>(['rank_of_job', 'rank_of_unnamed_job']);

/**
 * Recordings of a job's ranks that do not name the job (dumps of collectives, profiles, a topology file) are of the one job that
 * the case knows. With two named jobs, or two sets of dumps, the number alone is ambiguous.
 */
function mergeRanks(entities: readonly Known[], names: readonly OwnedName[], groups: Groups): void {
  const kinds = new Map(names.filter(({ kind }) => rankAliases.has(kind)).map(({ owner, kind }) => [owner, kind]));
  const ranks = entities.flatMap(({ entity_id, kind, id }) => {
    const name = kind === 'rank' ? readRankId(id) : undefined;
    return name ? [{ entity_id, ...name, alias: kinds.get(entity_id) ?? '' }] : [];
  });
  const jobs = (alias: RankAlias) => new Set(ranks.filter((one) => one.alias === alias).map(({ job }) => job)).size;
  if (jobs('rank_of_job') > 1 || jobs('rank_of_unnamed_job') > 1) return;
  const first = new Map<number, number>();
  for (const { entity_id, rank } of ranks) {
    const other = first.get(rank);
    if (other === undefined) first.set(rank, entity_id);
    else groups.join(other, entity_id, `rank ${rank} of the only job with ranks`);
  }
  mergeJobsOfRanks(new Set(ranks.map(({ job }) => job)), entities, groups);
}

/** Names of the only job with ranks: a scheduler numbers it, its program has a name, by which people call it. */
function mergeJobsOfRanks(names: ReadonlySet<string>, entities: readonly Known[], groups: Groups): void {
  const called = entities.filter(({ kind, id }) => (kind === 'job' || kind === 'service') && names.has(id));
  const [first, ...others] = called;
  if (!first || !called.some(({ kind }) => kind === 'job')) return;
  if (called.some(({ id }) => !isNumber(id)))
    for (const { id, entity_id } of called) if (isNumber(id)) groups.demote(entity_id);
  for (const { entity_id } of others) groups.join(first.entity_id, entity_id, 'names of the only job with ranks');
}

const isNumber = (id: string): boolean => /^\d+$/.test(id);

/** `node-3/gpu0` and `ip-10-0-0-3/gpu0` are one GPU once it is known that both hosts are one machine. */
function mergeGpuPlaces(entities: readonly Known[], aliases: readonly OwnedName[], groups: Groups): void {
  const hosts = new Map<string, number>();
  for (const e of entities) if (machines.has(e.kind)) hosts.set(e.id, e.entity_id);
  const gpus = new Set(entities.filter(({ kind }) => kind === 'gpu').map(({ entity_id }) => entity_id));
  const places = [
    ...entities.map(({ entity_id: owner, id: name }) => ({ owner, name })),
    ...aliases.filter(({ kind }) => kind === 'gpu_index' || kind === 'pci_address'),
  ];
  const owners = new Map<string, number>();
  for (const { owner, name } of places) {
    // Topology files write `node-3/GPU-0` as well.
    const [, host = '', index, address = ''] = /^(.+)\/(?:gpu-?(\d{1,3})|(pci-[0-9a-f:]+))$/i.exec(name) ?? [];
    const machine = hosts.get(host);
    if (!gpus.has(owner) || machine === undefined) continue;
    const key = `${groups.leader(machine)} ${index === undefined ? address.toLowerCase() : Number(index)}`;
    const other = owners.get(key);
    if (other === undefined) owners.set(key, owner);
    else groups.join(other, owner, `same place ${name}`);
  }
}
