import type { Scenario, Teller } from '../scenario.ts';
import { type Machine, machineRef, ref, type Service } from '../site.ts';

const trainings = (scenario: Scenario): Service[] => scenario.world.services.filter(({ form }) => form === 'training');

/** Machines that carry pods, with one of the services in them. */
const podMachines = (scenario: Scenario): (readonly [machine: Machine, service: Service, pod: string])[] =>
  scenario.world.services.flatMap((service) =>
    service.machines.flatMap((machine, i) => {
      const worker = service.workers[i];
      return worker?.kind === 'pod' ? [[machine, service, worker.id] as const] : [];
    }),
  );

/** A batch job lands on the machine and takes processors, memory bandwidth or the GPU's copy engines from what runs there. */
export const noisyNeighbour: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const pod = ref('pod', `batch/${chance.pick(['etl', 'backup', 'eval', 'index'])}-${chance.hex(5)}`);
  const root = scenario.root({
    at_s,
    source: 'kubernetes',
    entity: pod,
    type: 'pod_started',
    severity: chance.pick(['medium', 'low']),
    message: 'Started: started container worker, no limits set',
  });
  const starved = scenario.effect(root, {
    at_s: at_s + chance.around(8, 0.6),
    source: 'agent',
    entity: machineRef(machine),
    type: 'process_event',
    severity: chance.pick(['high', 'medium']),
    message: 'Run queue 212 on 64 processors, scheduling delay p99 48 ms',
  });
  scenario.effect(starved, {
    at_s: starved.at_s + chance.around(15, 0.5),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_condition',
    severity: 'medium',
    message: 'MemoryPressure: kubelet has insufficient memory available',
  });
  // Work begins some seconds after the container does.
  const from_s = at_s + chance.around(4, 0.5);
  scenario.slow(machine, { from_s, to_s: at_s + lasts_s, slow: chance.between(2.3, 4.5), ramp_s: 3 });
  return {
    root: pod,
    equivalents: [machineRef(machine), ref('node', machine.node)],
    event: root,
    edges: [{ from: pod, kind: 'runs_on', to: machineRef(machine) }],
  };
};

/** One rank's input runs dry and all the others wait: a worker was killed for memory, or its source is slow. */
export const dataloaderStall: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const service = chance.pick(trainings(scenario));
  const i = chance.whole(0, service.machines.length - 1);
  const [machine, rank] = [service.machines[i]!, service.workers[i]];
  if (!rank) return { root: null, event: null };
  const killed = chance.chance(0.5);
  const starving = {
    at_s: at_s + (killed ? chance.around(3, 0.5) : 0),
    source: 'agent' as const,
    entity: rank,
    type: 'process_event' as const,
    severity: chance.pick(['high', 'medium'] as const),
    message: 'DataLoader: no batch for 10 s, 1 of 8 workers alive',
  };
  const oom = {
    at_s,
    source: 'kernel' as const,
    entity: machineRef(machine),
    type: 'out_of_memory' as const,
    severity: 'high' as const,
    message: 'Out of memory: Killed process 41822 (pt_data_worker)',
  };
  const root = scenario.root(killed ? oom : starving);
  const waits = killed ? scenario.effect(root, starving) : root;
  scenario.effect(waits, {
    at_s: waits.at_s + chance.around(15, 0.5),
    source: 'agent',
    entity: rank,
    type: 'collective_stalled',
    severity: 'high',
    message: `all_gather: every rank waits for ${rank.id}`,
  });
  scenario.service(service.name, { from_s: at_s + 1, to_s: at_s + lasts_s, share: 1, slow: chance.between(2.5, 8) });
  return { root: root.entity, equivalents: [killed ? rank : machineRef(machine)], event: root };
};

/** The storage behind the checkpoints slows down: steps that write one take minutes (synchronous checkpointing). */
export const checkpointStall: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const storage = scenario.world.services.find(({ form }) => form === 'storage');
  const [machine] = storage?.machines ?? [];
  const service = chance.pick(trainings(scenario));
  if (!storage || !machine) return { root: null, event: null };
  const drive = chance.chance(0.6);
  const root = scenario.root({
    at_s,
    source: drive ? 'redfish' : 'kernel',
    entity: machineRef(machine),
    type: 'drive_failure',
    severity: chance.pick(['critical', 'high']),
    message: drive ? 'Drive 7 failed, array degraded, rebuild started' : 'nvme nvme3: I/O timeout, reset controller',
  });
  const slow = scenario.effect(root, {
    at_s: at_s + chance.around(9, 0.7),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'health_check_failed',
    severity: 'medium',
    message: 'StorageHealth: write latency 2.3 s',
  });
  for (const rank of chance.some(service.workers, chance.whole(1, 3)))
    scenario.effect(slow, {
      at_s: at_s + chance.around(25, 0.5),
      source: 'agent',
      entity: rank,
      type: 'process_event',
      severity: 'medium',
      message: 'torch.distributed.checkpoint: save has taken 60 s so far',
    });
  scenario.slow(machine, { from_s: at_s + 0.5, to_s: at_s + lasts_s, slow: chance.between(5, 30) });
  // The job only notices when the next checkpoint is due.
  const from_s = at_s + chance.between(1, 25);
  scenario.service(service.name, { from_s, to_s: at_s + lasts_s, share: 1, slow: chance.between(2.5, 8) });
  return { root: machineRef(machine), event: root };
};

/**
 * Pods are thrown out: by a node under pressure (kubelet looks every 10 s and evicts at its hard threshold), or for a pod of
 * higher priority. The rest of the service carries the load until they run elsewhere: image, weights, warm-up.
 */
export const podEviction: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const placed = podMachines(scenario);
  if (placed.length === 0) return { root: null, event: null };
  const [machine, service, podId] = chance.pick(placed);
  const pod = ref('pod', podId);
  const evicted = (seconds: number, type: 'pod_evicted' | 'pod_preempted', why: string) => ({
    at_s: seconds,
    source: 'kubernetes' as const,
    entity: pod,
    type,
    severity: chance.pick(['high', 'critical'] as const),
    message: why,
  });
  const left = service.machines.length - 1;
  const from_s = at_s + chance.around(2, 0.5);
  const slow = left === 0 ? 1 : chance.between(1.9, 2.4) + 0.8 / left;
  const fail = left === 0 ? 0.95 : chance.between(0.01, 0.08);
  scenario.service(service.name, { from_s, to_s: at_s + lasts_s, share: 1, slow, fail });
  if (chance.chance(0.4)) {
    const root = scenario.root(evicted(at_s, 'pod_preempted', 'Preempted by a pod of higher priority'));
    return { root: pod, equivalents: [machineRef(machine), ref('node', machine.node)], event: root };
  }
  const root = scenario.root({
    at_s: at_s - chance.around(9, 0.5),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_condition',
    severity: 'high',
    message: `${chance.pick(['MemoryPressure', 'DiskPressure'])}: eviction threshold met`,
  });
  scenario.effect(root, evicted(at_s, 'pod_evicted', 'The node was low on resource: memory'));
  return { root: root.entity, equivalents: [machineRef(machine)], event: root };
};
