import type { Happening, Scenario } from './scenario.ts';
import { type Machine, machineRef, ref } from './site.ts';

/**
 * What follows from what in a machine room, with delays from standards and vendors' documents. Written without a look at
 * the correlator's mechanisms: the corpus is their judge. Delays are log-normal, because real ones have tails.
 */

/** How hard work is slowed by a machine at half power: 2 to 6 times (clocks fall from 1980 to 345-990 MHz on an H100). */
const brakedBy = (scenario: Scenario): number => 1.6 + scenario.chance.around(1.6, 0.35);

/**
 * One of two feeds of a machine is gone or too low. A supply rides through 10 to 20 ms (CRPS and ATX12V hold-up time), the
 * other takes over at once; the management controller logs the loss by PMBus alert or its sensor scan, 0.3 to 3 s later.
 * The one supply left cannot carry full load: the controller throttles processors within 1 to 6 s (Intel Node Manager's
 * limiting correction time), and PWRBRK# holds GPUs down within milliseconds, which exporters see a sample later.
 */
export function feedLost(
  scenario: Scenario,
  machine: Machine,
  cause: Happening,
  span: { readonly from_s: number; readonly to_s: number; readonly feed: number },
): void {
  const { chance } = scenario;
  const psu = machine.psus[span.feed];
  const failover = scenario.effect(cause, {
    at_s: span.from_s + chance.around(0.7, 0.6),
    source: 'redfish',
    entity: machineRef(machine),
    type: 'psu_failover',
    severity: chance.pick(['critical', 'critical', 'high']),
    message: `Power supply redundancy lost: ${psu ?? `PSU-${span.feed + 1}`} has no input`,
  });
  throttledByPower(scenario, machine, failover, span.to_s);
  scenario.effect(failover, {
    at_s: span.to_s + chance.around(2, 0.6),
    source: 'redfish',
    entity: machineRef(machine),
    type: 'psu_restored',
    severity: 'low',
    message: 'Power supply redundancy restored',
  });
}

/** A machine on less power than it wants: processors capped, GPUs braked, work slower. */
export function throttledByPower(scenario: Scenario, machine: Machine, cause: Happening, to_s: number): void {
  const { chance } = scenario;
  const cap = scenario.effect(cause, {
    at_s: cause.at_s + chance.around(1.8, 0.5),
    source: 'rapl',
    entity: machineRef(machine),
    type: 'cpu_power_cap',
    severity: chance.pick(['medium', 'medium', 'high']),
    message: `Package power limit lowered: 350 W to ${chance.whole(140, 240)} W`,
  });
  const gpus = chance.some(machine.gpus, chance.whole(1, Math.min(4, machine.gpus.length)));
  let first = Number.POSITIVE_INFINITY;
  for (const gpu of gpus) {
    const at_s = cause.at_s + chance.around(1.4, 0.6);
    first = Math.min(first, at_s);
    const brake = chance.chance(0.6);
    scenario.effect(cap.at_s < at_s ? cap : cause, {
      at_s: at_s + chance.between(0, 1),
      source: 'nvml',
      entity: ref('gpu', gpu),
      type: brake ? 'power_brake' : 'power_cap_applied',
      severity: chance.pick(['high', 'high', 'medium']),
      message: brake ? 'Clocks event reasons 0x80: hardware power brake' : 'Clocks event reasons 0x4: power cap',
    });
  }
  scenario.slow(machine, {
    from_s: Math.min(first, cap.at_s),
    to_s: to_s + chance.between(1, 5),
    slow: brakedBy(scenario),
  });
  scenario.effect(cap, {
    at_s: to_s + chance.around(3, 0.5),
    source: 'rapl',
    entity: machineRef(machine),
    type: 'power_cap_removed',
    severity: 'low',
    message: 'Package power limit raised to 350 W',
  });
}

/**
 * A machine is gone. Its node is NotReady after 40 s without a lease (Kubernetes node-monitor-grace-period); a switch port
 * reports link down within a second; coming back takes minutes (POST, kernel, kubelet).
 */
export function machineDown(scenario: Scenario, machine: Machine, cause: Happening, to_s: number): void {
  const { chance, world } = scenario;
  const from_s = cause.at_s + chance.around(0.3, 0.5);
  const tor = world.switches.get(machine.rack);
  if (tor)
    scenario.effect(cause, {
      at_s: from_s + chance.between(0, 1),
      source: 'switch_snmp',
      entity: ref('nic', machine.nic),
      type: 'link_down',
      severity: chance.pick(['high', 'medium']),
      message: `${tor}: link to ${machine.id} down`,
    });
  const notReady = scenario.effect(cause, {
    at_s: from_s + chance.between(40, 52),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_not_ready',
    severity: 'high',
    message: 'NodeNotReady: kubelet stopped posting node status',
  });
  workersFail(scenario, machine, notReady, notReady.at_s + 2);
  scenario.effect(cause, {
    at_s: to_s,
    source: 'kernel',
    entity: machineRef(machine),
    type: 'host_rebooted',
    severity: 'medium',
    message: 'kernel: Linux version, command line: boot',
  });
  scenario.fail(machine, { from_s, to_s: to_s + chance.between(10, 40) });
}

/** Pods of a machine fail, as reported by the orchestrator. */
export function workersFail(scenario: Scenario, machine: Machine, cause: Happening, at_s: number): void {
  for (const service of scenario.servicesOn(machine)) {
    const worker = service.workers[service.machines.indexOf(machine)];
    if (worker?.kind !== 'pod') continue;
    scenario.effect(cause, {
      at_s: at_s + scenario.chance.around(2, 0.6),
      source: 'kubernetes',
      entity: worker,
      type: 'pod_failed',
      severity: scenario.chance.pick(['high', 'medium']),
      message: 'BackOff: back-off restarting failed container',
    });
  }
}

/**
 * The process on a GPU died or hangs. Requests to it fail until it has restarted (loading weights: 40 s to minutes); of a
 * synchronous job all ranks wait, and watchdogs name the one that is missing after a while.
 */
export function gpuWorkLost(scenario: Scenario, machine: Machine, cause: Happening, to_s: number): void {
  const { chance } = scenario;
  const from_s = cause.at_s + chance.around(0.5, 0.5);
  workersFail(scenario, machine, cause, from_s);
  for (const service of scenario.servicesOn(machine)) {
    if (service.form !== 'training') continue;
    const rank = service.workers[service.machines.indexOf(machine)];
    if (rank)
      scenario.effect(cause, {
        at_s: from_s + chance.around(15, 0.5),
        source: 'agent',
        entity: rank,
        type: 'collective_stalled',
        severity: 'high',
        message: `all_reduce: every rank waits for ${rank.id}`,
      });
  }
  // A machine of many GPUs keeps serving with the others unless the model is spread over all of them.
  const share = chance.chance(0.6) ? 1 : Math.max(0.35, 1 / machine.gpus.length);
  scenario.fail(machine, { from_s, to_s, fail: share });
}

/** GPUs above their limit: throttle reasons 0x20 or 0x40 within the sampling of the exporter, cards one after the other. */
export function gpusThrottle(
  scenario: Scenario,
  machine: Machine,
  cause: Happening,
  span: { readonly from_s: number; readonly to_s: number; readonly cards: number },
): void {
  const { chance } = scenario;
  let first = Number.POSITIVE_INFINITY;
  for (const gpu of chance.some(machine.gpus, span.cards)) {
    const at_s = span.from_s + chance.around(4, 0.9);
    first = Math.min(first, at_s);
    scenario.effect(cause, {
      at_s,
      source: 'nvml',
      entity: ref('gpu', gpu),
      type: 'thermal_throttle',
      severity: chance.pick(['high', 'high', 'medium']),
      message: `Clocks event reasons 0x20: thermal slowdown at ${chance.whole(84, 92)} C`,
    });
  }
  // Thermal control lowers clocks step by step: the effect grows over tens of seconds.
  const slow = 1.5 + chance.around(1.4, 0.4);
  scenario.slow(machine, { from_s: first, to_s: span.to_s, slow, ramp_s: chance.around(15, 0.5) });
}
