import type { Happening, Outcome, Scenario, Teller } from '../scenario.ts';
import { type Machine, machineRef, ref, type Service } from '../site.ts';

/** A rank of a training job, with the pod that it runs in. */
interface Placed {
  readonly service: Service;
  readonly machine: Machine;
  readonly rank: ReturnType<typeof ref>;
  readonly pod: ReturnType<typeof ref>;
  readonly edges: NonNullable<Outcome['edges']>;
}

function placedRank(scenario: Scenario): Placed | undefined {
  const { chance, world } = scenario;
  const service = world.services.find(({ form }) => form === 'training');
  if (!service) return undefined;
  const i = chance.whole(0, service.machines.length - 1);
  const [machine, rank] = [service.machines[i]!, service.workers[i]!];
  const pod = ref('pod', `training/${service.name}-worker-${i}`);
  const edges = [
    { from: pod, kind: 'runs_on' as const, to: machineRef(machine) },
    { from: rank, kind: 'runs_on' as const, to: pod },
  ];
  return { service, machine, rank, pod, edges };
}

const nothing: Outcome = { root: null, event: null };

/** The other ranks wait for one that is gone; watchdogs name it some ten seconds later. */
function rankGone(scenario: Scenario, { machine, rank }: Placed, cause: Happening, to_s: number): void {
  const from_s = cause.at_s + scenario.chance.around(1, 0.5);
  scenario.effect(cause, {
    at_s: from_s + scenario.chance.around(15, 0.5),
    source: 'agent',
    entity: rank,
    type: 'collective_stalled',
    severity: 'high',
    message: `all_reduce: every rank waits for ${rank.id}`,
  });
  scenario.fail(machine, { from_s, to_s });
}

/** The kubelet evicts a worker of the job, because its node lacks memory or disk: it looks every 10 s. */
export const eviction: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const placed = placedRank(scenario);
  if (!placed) return nothing;
  const { machine, pod, edges } = placed;
  const why = chance.pick(['MemoryPressure', 'DiskPressure']);
  const root = scenario.root({
    at_s: at_s - chance.around(9, 0.5),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_condition',
    severity: 'high',
    message: `${why}: eviction threshold met`,
  });
  const evicted = scenario.effect(root, {
    at_s,
    source: 'kubernetes',
    entity: pod,
    type: 'pod_evicted',
    severity: chance.pick(['high', 'critical']),
    message: 'The node was low on a resource',
  });
  rankGone(scenario, placed, evicted, at_s + lasts_s);
  return { root: root.entity, equivalents: [machineRef(machine), pod], event: root, edges };
};

/** A pod of higher priority takes the place of a worker. */
export const preemption: Teller = (scenario, at_s, lasts_s) => {
  const placed = placedRank(scenario);
  if (!placed) return nothing;
  const { machine, pod, edges } = placed;
  const root = scenario.root({
    at_s,
    source: 'kubernetes',
    entity: pod,
    type: 'pod_preempted',
    severity: scenario.chance.pick(['high', 'medium']),
    message: 'Preempted by a pod of higher priority',
  });
  rankGone(scenario, placed, root, at_s + lasts_s);
  return { root: pod, equivalents: [machineRef(machine), ref('node', machine.node)], event: root, edges };
};

/** A worker grows beyond the memory of its container or machine and is killed. */
export const outOfMemory: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const placed = placedRank(scenario);
  if (!placed) return nothing;
  const { machine, pod, edges } = placed;
  const ofPod = chance.chance(0.5);
  const root = scenario.root({
    at_s,
    source: ofPod ? 'kubernetes' : 'kernel',
    entity: ofPod ? pod : machineRef(machine),
    type: ofPod ? 'pod_oom_killed' : 'out_of_memory',
    severity: 'high',
    message: ofPod ? 'OOMKilled: exit code 137' : 'Out of memory: Killed process 30211 (python)',
  });
  rankGone(scenario, placed, root, at_s + lasts_s);
  const equivalents = [pod, machineRef(machine), ref('node', machine.node)].filter(({ id }) => id !== root.entity.id);
  return { root: root.entity, equivalents, event: root, edges };
};

/** Traffic of others fills the queues of a leaf: exchanges behind it take several times as long, and no link goes down. */
export const switchCongestion: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const placed = placedRank(scenario);
  const leaf = placed && world.leaves.get(placed.machine.rack);
  if (!placed || leaf === undefined) return nothing;
  const root = scenario.root({
    at_s,
    source: 'ufm',
    entity: ref('switch', leaf),
    type: 'network_congestion',
    severity: chance.pick(['high', 'medium']),
    message: 'Port transmit wait above its threshold on ports 3 to 9',
  });
  const racks = new Set([...world.leaves].flatMap(([rack, by]) => (by === leaf ? [rack] : [])));
  const span = { from_s: at_s + 0.5, to_s: at_s + lasts_s, slow: chance.between(2.2, 5), ramp_s: 3 };
  for (const machine of placed.service.machines) if (racks.has(machine.rack)) scenario.slow(machine, span);
  scenario.effect(root, {
    at_s: at_s + lasts_s,
    source: 'ufm',
    entity: root.entity,
    type: 'congestion_ended',
    severity: 'low',
    message: 'Port transmit wait back below its threshold',
  });
  return { root: root.entity, event: root };
};

/** The file system with the samples does not answer: clients write so to their kernel logs, and every loader waits. */
export const storageStall: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const placed = placedRank(scenario);
  const storage = world.services.find(({ form }) => form === 'storage')?.machines[0];
  if (!placed || !storage) return nothing;
  const root = scenario.root({
    at_s,
    source: chance.pick(['kernel', 'redfish']),
    entity: machineRef(storage),
    type: 'drive_failure',
    severity: chance.pick(['critical', 'high']),
    message: 'Drive 3 failed, array degraded, rebuild started',
  });
  for (const machine of chance.some(placed.service.machines, 3))
    scenario.effect(root, {
      at_s: at_s + chance.around(20, 0.5),
      source: 'kernel',
      entity: machineRef(machine),
      type: 'storage_not_responding',
      severity: 'high',
      message: 'nfs: server checkpoint-store not responding, still trying',
    });
  scenario.slow(storage, { from_s: at_s, to_s: at_s + lasts_s, slow: chance.between(6, 30) });
  const slow = chance.between(3, 10);
  scenario.service(placed.service.name, { from_s: at_s + 3, to_s: at_s + lasts_s, share: 1, slow, ramp_s: 5 });
  return { root: root.entity, event: root };
};

/** Ranks enter different operations because the code took different branches: they wait for ever, and no device took part. */
export const desync: Teller = (scenario, at_s, lasts_s) => {
  const placed = placedRank(scenario);
  if (!placed) return nothing;
  const { service, rank } = placed;
  const event = scenario.root({
    at_s: at_s + scenario.chance.around(12, 0.5),
    source: 'agent',
    entity: rank,
    type: 'collective_mismatch',
    severity: 'high',
    message: `${rank.id} entered all_gather instead of all_reduce`,
  });
  scenario.service(service.name, { from_s: at_s, to_s: at_s + lasts_s, ramp_s: 0, demand: 0.02 });
  return { root: rank, guilty_service: service.name, event };
};

/** All steps are done; the job ends and nothing is wrong. */
export const completion: Teller = (scenario, at_s) => {
  const placed = placedRank(scenario);
  return placed ? { ...nothing, done: { service: placed.service.name, at_s } } : nothing;
};
