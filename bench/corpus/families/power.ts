import { feedLost, machineDown, throttledByPower } from '../consequences.ts';
import type { Happening, Scenario, Teller } from '../scenario.ts';
import { EDGE_RACK, type Machine, machineRef, ref } from '../site.ts';

/** Machines behind any of these PDUs, with the feed that reaches them. */
const behind = (scenario: Scenario, pdus: readonly string[]): (readonly [machine: Machine, feed: number])[] =>
  scenario.world.machines.flatMap((machine) => {
    const feed = machine.pdus.findIndex((pdu) => pdus.includes(pdu));
    return feed < 0 ? [] : [[machine, feed] as const];
  });

/** PDUs behind which something works. */
const busyPdus = (scenario: Scenario): string[] =>
  [...scenario.world.pduUps.keys()].filter((pdu) =>
    scenario.world.machines.some((machine) => machine.pdus.includes(pdu) && scenario.servicesOn(machine).length > 0),
  );

/** Not every supply trips on a sag: hold-up and load differ between machines (ITIC curve: below 70 % for 20 ms). */
function failOver(
  scenario: Scenario,
  cause: Happening,
  span: { readonly pdus: readonly string[]; readonly to_s: number; readonly share: number },
): void {
  const hit = behind(scenario, span.pdus);
  const sure = scenario.chance.some(hit, 2);
  for (const one of hit)
    if (sure.includes(one) || scenario.chance.chance(span.share))
      feedLost(scenario, one[0], cause, { from_s: cause.at_s, to_s: span.to_s, feed: one[1] });
}

/**
 * The mains fail and a line-interactive UPS goes to battery: 4 to 10 ms by IEC 62040-3, its trap (RFC 1628
 * upsTrapOnBattery) within a second or so and repeated every minute. The step shows as a sag on some of its PDUs.
 */
export const upsTransfer: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const ups = chance.pick(world.upses);
  const root = scenario.root({
    at_s,
    source: 'ups',
    entity: ref('ups', ups),
    type: 'ups_transfer',
    severity: chance.pick(['critical', 'critical', 'high']),
    message: 'On battery: input voltage out of tolerance',
  });
  for (let again = 60; again < lasts_s; again += 60)
    scenario.effect(root, {
      at_s: at_s + again,
      source: 'ups',
      entity: ref('ups', ups),
      type: 'ups_alarm',
      severity: 'high',
      message: `On battery for ${again} s`,
    });
  const pdus = [...world.pduUps].flatMap(([pdu, by]) => (by === ups ? [pdu] : []));
  for (const pdu of chance.some(pdus, Math.max(1, Math.ceil(pdus.length * chance.between(0.5, 1))))) {
    const sag = scenario.effect(root, {
      at_s: at_s + chance.around(0.4, 0.7),
      source: 'pdu_snmp',
      entity: ref('pdu', pdu),
      type: 'voltage_sag',
      severity: chance.pick(['critical', 'high']),
      message: `Input voltage ${chance.whole(150, 195)} V below threshold 207 V`,
    });
    failOver(scenario, sag, { pdus: [pdu], to_s: at_s + lasts_s, share: 0.7 });
  }
  scenario.effect(root, {
    at_s: at_s + lasts_s,
    source: 'ups',
    entity: ref('ups', ups),
    type: 'ups_restored',
    severity: 'low',
    message: 'Back on utility power',
  });
  return { root: ref('ups', ups), event: root };
};

/** Voltage at one PDU falls: SEMI F47 and IEC 61000-4-34 know sags of 0.05 to 3 s; a loose feed sags for minutes. */
export const pduSag: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const pdu = chance.pick(busyPdus(scenario));
  const root = scenario.root({
    at_s,
    source: 'pdu_snmp',
    entity: ref('pdu', pdu),
    type: 'voltage_sag',
    severity: chance.pick(['critical', 'critical', 'high']),
    message: `Input voltage ${chance.whole(140, 198)} V below threshold 207 V on all phases`,
  });
  failOver(scenario, root, { pdus: [pdu], to_s: at_s + lasts_s, share: 0.9 });
  scenario.effect(root, {
    at_s: at_s + lasts_s,
    source: 'pdu_snmp',
    entity: ref('pdu', pdu),
    type: 'voltage_restored',
    severity: 'low',
    message: 'Input voltage back to 230.1 V',
  });
  return { root: ref('pdu', pdu), event: root };
};

/** A branch breaker opens on overload: at 1.35 times its rating after minutes, at twice within one (UL 489 trip curves). */
export const breakerTrip: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const pdu = chance.pick(busyPdus(scenario));
  const breaker = world.breakers.get(pdu)!;
  const root = scenario.root({
    at_s,
    source: 'pdu_snmp',
    entity: ref('breaker', breaker),
    type: 'breaker_trip',
    severity: 'critical',
    message: `${breaker} opened on overcurrent`,
  });
  const lost = scenario.effect(root, {
    at_s: at_s + chance.around(0.5, 0.5),
    source: 'pdu_snmp',
    entity: ref('pdu', pdu),
    type: 'voltage_sag',
    severity: 'critical',
    message: 'Input lost on L1-L3',
  });
  failOver(scenario, lost, { pdus: [pdu], to_s: at_s + lasts_s, share: 1 });
  return { root: ref('breaker', breaker), event: root };
};

/** One supply of one machine dies. */
export const psuFailure: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const candidates = scenario.world.machines.filter(
    (one) => one.pdus.length > 0 && scenario.servicesOn(one).length > 0,
  );
  const machine = chance.pick(candidates);
  const feed = chance.whole(0, 1);
  const psu = machine.psus[feed];
  const entity = psu ? ref('psu', psu) : machineRef(machine);
  const root = scenario.root({
    at_s,
    source: 'redfish',
    entity,
    type: 'psu_failure',
    severity: chance.pick(['critical', 'high']),
    message: `Power supply ${feed + 1} has failed`,
  });
  feedLost(scenario, machine, root, { from_s: at_s, to_s: at_s + lasts_s, feed });
  return { root: entity, equivalents: psu ? [machineRef(machine)] : [], event: root };
};

/** Somebody, or a power policy, sets a machine's limit far too low: work slows within the control loop's 1 to 6 s. */
export const bmcCap: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const root = scenario.root({
    at_s,
    source: 'redfish',
    entity: machineRef(machine),
    type: 'cpu_power_cap',
    severity: chance.pick(['high', 'critical']),
    message: `Server power limit set to ${chance.whole(900, 2400)} W of 10200 W`,
  });
  throttledByPower(scenario, machine, root, at_s + lasts_s);
  return { root: machineRef(machine), event: root };
};

/** The external brake signal of one machine's power board is stuck: its GPUs fall to a quarter of their clocks at once. */
export const powerBrake: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0));
  const [first, ...others] = chance.some(machine.gpus, chance.whole(1, machine.gpus.length));
  const braked = (gpu: string, seconds: number) => ({
    at_s: seconds,
    source: 'nvml' as const,
    entity: ref('gpu', gpu),
    type: 'power_brake' as const,
    severity: 'high' as const,
    message: 'Clocks event reasons 0x88: hardware slowdown, power brake',
  });
  const root = scenario.root(braked(first!, at_s));
  for (const gpu of others) scenario.effect(root, braked(gpu, at_s + chance.around(0.6, 0.8)));
  scenario.slow(machine, { from_s: at_s + 0.2, to_s: at_s + lasts_s, slow: chance.between(2.4, 5) });
  scenario.effect(root, {
    at_s: at_s + lasts_s,
    source: 'nvml',
    entity: root.entity,
    type: 'throttle_ended',
    severity: 'low',
    message: 'Clocks event reasons 0x0',
  });
  return {
    root: root.entity,
    equivalents: [machineRef(machine), ...others.map((gpu) => ref('gpu', gpu))],
    event: root,
  };
};

/**
 * A switch runs out of power for its ports (IEEE 802.3bt clause 145: an overloaded port is cut after 50 to 75 ms); the
 * machines behind it lose power and boot again when it is granted, in one to three minutes.
 */
export const poeOverload: Teller = (scenario, at_s, lasts_s) => {
  const { chance, world } = scenario;
  const poe = world.switches.get(EDGE_RACK)!;
  const root = scenario.root({
    at_s,
    source: 'switch_snmp',
    entity: ref('switch', poe),
    type: 'port_power_exceeded',
    severity: chance.pick(['critical', 'high']),
    message: `Power budget exceeded: ${chance.whole(371, 420)} W of 370 W, ports are shut by priority`,
  });
  const machines = world.machines.filter(({ rack }) => rack === EDGE_RACK);
  for (const machine of chance.some(machines, chance.whole(2, machines.length))) {
    const off = scenario.effect(root, {
      at_s: at_s + chance.around(0.4, 0.7),
      source: 'switch_snmp',
      entity: ref('nic', machine.nic),
      type: 'outlet_off',
      severity: 'high',
      message: `${poe}: port of ${machine.id} powered down`,
    });
    machineDown(scenario, machine, off, at_s + lasts_s);
  }
  return { root: ref('switch', poe), event: root };
};
