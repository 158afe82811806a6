import { gpusThrottle } from '../consequences.ts';
import type { Teller } from '../scenario.ts';
import { machineRef, ref } from '../site.ts';

/**
 * A coolant distribution unit or an air handler stops. Without flow a cold plate warms within a minute; a room takes minutes
 * (about 5 C per minute at 10 kW per rack, ASHRAE TC 9.9 on loss of cooling). Machines warm one after the other, and GPUs
 * slow down from 83 to 87 C on.
 */
export const coolingFailure: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const units = [...new Set(world.cooling.values())];
  const unit = chance.pick(units);
  const liquid = unit.startsWith('CDU');
  const root = scenario.root({
    at_s,
    source: 'bms',
    entity: ref('cooling', unit),
    type: liquid && chance.chance(0.4) ? 'coolant_flow_low' : 'cooling_failure',
    severity: chance.pick(['critical', 'critical', 'high']),
    message: liquid ? 'Pump failure: flow 41 of 410 L/min' : 'Supply fan failure, unit stopped',
  });
  const warm_s = chance.around(liquid ? 40 : 130, 0.35);
  const to_s = at_s + warm_s + lasts_s;
  const racks = [...world.cooling].flatMap(([rack, by]) => (by === unit ? [rack] : []));
  for (const machine of world.machines) {
    if (!racks.includes(machine.rack) || chance.chance(0.25)) continue;
    const hot = scenario.effect(root, {
      at_s: at_s + warm_s * chance.around(0.8, 0.3),
      source: 'redfish',
      entity: machineRef(machine),
      type: 'temperature_high',
      severity: chance.pick(['high', 'medium']),
      message: `Inlet temperature ${chance.whole(38, 47)} C above 35 C`,
    });
    const cards = chance.whole(1, machine.gpus.length);
    gpusThrottle(scenario, machine, hot, { from_s: hot.at_s + warm_s * chance.around(0.3, 0.4), to_s, cards });
  }
  return { root: root.entity, event: root };
};

/** One machine's fans fail, or one card sits badly under its cooler: its GPUs slow down and no others do. */
export const gpuThermal: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const to_s = at_s + lasts_s + 40;
  if (machine.kind === 'server' && chance.chance(0.5)) {
    const root = scenario.root({
      at_s,
      source: 'redfish',
      entity: machineRef(machine),
      type: 'fan_failure',
      severity: chance.pick(['critical', 'high']),
      message: 'Fan 4 below lower critical: 300 rpm',
    });
    const cards = chance.whole(Math.ceil(machine.gpus.length / 2), machine.gpus.length);
    gpusThrottle(scenario, machine, root, { from_s: at_s + chance.around(20, 0.5), to_s, cards });
    return { root: root.entity, event: root };
  }
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root({
    at_s,
    source: 'nvml',
    entity: ref('gpu', gpu),
    type: 'thermal_throttle',
    severity: chance.pick(['high', 'critical']),
    message: `Clocks event reasons 0x40: hardware thermal slowdown at ${chance.whole(90, 97)} C`,
  });
  scenario.slow(machine, { from_s: at_s, to_s, slow: chance.between(2.4, 5), ramp_s: chance.around(8, 0.5) });
  scenario.effect(root, {
    at_s: to_s,
    source: 'nvml',
    entity: root.entity,
    type: 'throttle_ended',
    severity: 'low',
    message: 'Clocks event reasons 0x0',
  });
  return { root: root.entity, equivalents: [machineRef(machine)], event: root };
};
