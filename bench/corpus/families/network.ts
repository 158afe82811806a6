import { machineDown, workersFail } from '../consequences.ts';
import type { Happening, Scenario, Teller } from '../scenario.ts';
import { type Machine, machineRef, ref } from '../site.ts';

/** The rank on a machine is what the others wait for: watchdogs report it after some ten seconds. */
function rankWaits(scenario: Scenario, machine: Machine, cause: Happening): void {
  for (const service of scenario.servicesOn(machine)) {
    const worker = service.workers[service.machines.indexOf(machine)];
    if (worker?.kind !== 'rank') continue;
    scenario.effect(cause, {
      at_s: cause.at_s + scenario.chance.around(12, 0.5),
      source: 'agent',
      entity: worker,
      type: 'collective_stalled',
      severity: 'high',
      message: `all_reduce: every rank waits for ${worker.id}`,
    });
  }
}

/**
 * An InfiniBand link retrains: seconds of silence each time, during which NCCL retries (timeout 4.2 s at
 * NCCL_IB_TIMEOUT=20, seven times, NCCL documentation). A bad cable flaps again and again; a bad leaf port takes several.
 */
export const infinibandFlap: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const training = world.services.filter(({ form }) => form === 'training');
  const machine = chance.pick(training.flatMap(({ machines }) => machines));
  const leaf = world.leaves.get(machine.rack);
  const whole = leaf !== undefined && chance.chance(0.35);
  const entity = whole ? ref('switch', leaf) : ref('nic', machine.nic);
  const root = scenario.root({
    at_s,
    source: 'ufm',
    entity,
    type: chance.pick(['link_flap', 'link_flap', 'link_down']),
    severity: chance.pick(['critical', 'high']),
    message: whole ? 'Symbol errors on ports 5 to 12, links retrain' : 'Link went down: too many symbol errors',
  });
  const racks = [...world.leaves].flatMap(([rack, by]) => (by === leaf ? [rack] : []));
  const hit = whole ? world.machines.filter(({ rack }) => racks.includes(rack)) : [machine];
  for (const one of hit) {
    const down = scenario.effect(root, {
      at_s: at_s + chance.around(0.5, 0.8),
      source: 'kernel',
      entity: ref('nic', one.nic),
      type: 'link_down',
      severity: 'medium',
      message: 'mlx5_core: Port: 1 Link DOWN',
    });
    rankWaits(scenario, one, down);
    scenario.slow(one, { from_s: at_s + 0.1, to_s: at_s + lasts_s, slow: chance.between(2.5, 9) });
    scenario.effect(down, {
      at_s: at_s + lasts_s,
      source: 'ufm',
      entity: ref('nic', one.nic),
      type: 'link_up',
      severity: 'low',
      message: 'Link is active at 4X NDR',
    });
  }
  return { root: entity, event: root };
};

/**
 * A top-of-rack switch restarts. Its own word comes either before, as a log line about the reload, or only after, as the
 * coldStart trap (RFC 3418) of a switch that is up again one to four minutes later; its neighbours notice at once.
 */
export const switchReboot: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const racks = world.racks.filter((rack) =>
    world.machines.some((one) => one.rack === rack && scenario.servicesOn(one).length > 0),
  );
  const rack = chance.pick(racks);
  const tor = world.switches.get(rack)!;
  const boot_s = Math.min(240, Math.max(50, lasts_s));
  const before = chance.chance(0.6);
  const root = scenario.root({
    at_s: before ? at_s : at_s + boot_s,
    source: 'switch_snmp',
    entity: ref('switch', tor),
    type: 'switch_reboot',
    severity: chance.pick(['critical', 'high']),
    message: before ? 'Reload requested: reason kernel panic' : 'coldStart: agent restarted, uptime 0',
  });
  for (const machine of world.machines.filter((one) => one.rack === rack)) {
    const down = scenario.effect(root, {
      at_s: at_s + chance.around(0.5, 0.6),
      source: 'kernel',
      entity: ref('nic', machine.nic),
      type: 'link_down',
      severity: chance.pick(['high', 'medium']),
      message: 'eth0: Link is Down',
    });
    const notReady = scenario.effect(down, {
      at_s: at_s + chance.between(40, 50),
      source: 'kubernetes',
      entity: ref('node', machine.node),
      type: 'node_not_ready',
      severity: 'high',
      message: 'NodeNotReady: kubelet stopped posting node status',
    });
    if (chance.chance(0.3)) workersFail(scenario, machine, notReady, notReady.at_s + 5);
    scenario.fail(machine, { from_s: at_s + 0.2, to_s: at_s + boot_s });
    scenario.effect(down, {
      at_s: at_s + boot_s - chance.between(1, 5),
      source: 'kernel',
      entity: ref('nic', machine.nic),
      type: 'link_up',
      severity: 'low',
      message: 'eth0: Link is Up - 100Gbps/Full',
    });
  }
  return { root: ref('switch', tor), event: root };
};

/** A machine stops: the kernel panics, or its board fails. The management controller sees it. */
export const hostLoss: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const root = scenario.root({
    at_s,
    source: 'redfish',
    entity: machineRef(machine),
    type: 'machine_check',
    severity: 'critical',
    message: 'CPU 1: uncorrectable machine check, IERR asserted',
  });
  machineDown(scenario, machine, root, at_s + lasts_s);
  return { root: machineRef(machine), equivalents: [ref('node', machine.node)], event: root };
};

/**
 * The provider reports that an instance's host is degraded: with a start time cut to the minute, or minutes after the fact
 * (AWS Health states startTime apart from lastUpdatedTime).
 */
export const hostDegradation: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const reported_s = chance.chance(0.6) ? at_s - chance.between(0, 50) : at_s + chance.around(25, 0.8);
  const root = scenario.root({
    at_s: reported_s,
    source: 'aws_health',
    entity: machineRef(machine),
    type: 'host_degradation',
    severity: chance.pick(['critical', 'high']),
    message: 'AWS_EC2_INSTANCE_NETWORK_OR_HARDWARE_DEGRADATION: the host of your instance is degraded',
  });
  scenario.effect(root, {
    at_s: at_s + chance.around(8, 0.8),
    source: 'kernel',
    entity: machineRef(machine),
    type: chance.pick(['pcie_error', 'machine_check']),
    severity: 'medium',
    message: 'hardware error reported by the hypervisor',
  });
  scenario.effect(root, {
    at_s: at_s + chance.around(20, 0.6),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_condition',
    severity: 'medium',
    message: 'KernelDeadlock: node-problem-detector',
  });
  if (chance.chance(0.6)) scenario.slow(machine, { from_s: at_s, to_s: at_s + lasts_s, slow: chance.between(2.4, 6) });
  else scenario.fail(machine, { from_s: at_s, to_s: at_s + lasts_s, fail: chance.between(0.4, 1) });
  return { root: machineRef(machine), event: root };
};
