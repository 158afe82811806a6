import type { Severity } from '../../src/model/entity.ts';
import type { EventType } from '../../src/model/telemetry/event-catalog.ts';
import type { Chance } from './chance.ts';
import type { RecordedEdge } from './recording.ts';
import type { Scenario, SourceName } from './scenario.ts';
import { type Machine, machineRef, ref } from './site.ts';

type Scene = (scenario: Scenario, at_s: number, machine: Machine) => void;

const eventFields = (source: SourceName, type: EventType, severity: Severity, message: string) => ({
  source,
  type,
  severity,
  message,
});

/** A quiet night is full of these; none of them hurts anybody. */
const routine: readonly Scene[] = [
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('rapl', 'cpu_power_cap', 'low', 'Scheduled power policy: package limit 350 W to 340 W'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('rapl', 'power_cap_removed', 'low', 'Scheduled power policy: package limit 340 W to 350 W'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('gpu', scenario.chance.pick(machine.gpus)),
      ...eventFields('kernel', 'xid_error', 'medium', 'NVRM: Xid (PCI:0000:9b:00): 13, Graphics Engine Exception'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('gpu', scenario.chance.pick(machine.gpus)),
      ...eventFields('nvml', 'power_cap_applied', 'low', 'Clocks event reasons 0x4: software power cap'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('gpu', scenario.chance.pick(machine.gpus)),
      ...eventFields('nvml', 'thermal_throttle', 'medium', 'Clocks event reasons 0x20 for 1 s'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('node', machine.node),
      ...eventFields('kubernetes', 'kubernetes_event', 'low', 'Pulled: container image already present on machine'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('redfish', 'bmc_event', 'low', 'Log cleared by administrator'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('redfish', 'fan_restored', 'low', 'Fan 6 within limits again'),
    }),
  (scenario, at_s, machine) => {
    const tor = scenario.world.switches.get(machine.rack);
    if (tor)
      scenario.decoy({
        at_s,
        entity: ref('switch', tor),
        ...eventFields('switch_snmp', 'link_flap', 'low', 'Ethernet1/48 (unused) down, up after 0.4 s'),
      });
  },
  (scenario, at_s, machine) => {
    const unit = scenario.world.cooling.get(machine.rack);
    if (unit)
      scenario.decoy({
        at_s,
        entity: ref('cooling', unit),
        ...eventFields('bms', 'temperature_high', 'medium', 'Supply 31.2 C above warning 31.0 C'),
      });
  },
  (scenario, at_s, machine) => {
    const [pdu] = machine.pdus;
    if (pdu)
      scenario.decoy({
        at_s,
        entity: ref('pdu', pdu),
        ...eventFields('pdu_snmp', 'voltage_restored', 'low', 'Input voltage 229.8 V'),
      });
  },
  (scenario, at_s) => {
    for (const ups of scenario.world.upses) {
      scenario.decoy({
        at_s,
        entity: ref('ups', ups),
        ...eventFields('ups', 'ups_transfer', 'low', 'Monthly self test: on battery'),
      });
      scenario.decoy({
        at_s: at_s + 10,
        entity: ref('ups', ups),
        ...eventFields('ups', 'ups_restored', 'low', 'Monthly self test passed'),
      });
    }
  },
];

/** Loud, and harmless: redundancy did its work, or nothing ran there. */
const loudMachine: readonly Scene[] = [
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('redfish', 'psu_failover', 'critical', 'Power supply redundancy lost'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('redfish', 'fan_failure', 'critical', 'Fan 3 failed, redundancy kept'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('redfish', 'drive_failure', 'critical', 'Drive 3: predictive failure'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: machineRef(machine),
      ...eventFields('kernel', 'machine_check', 'high', 'mce: [Hardware Error]: corrected error, bank 7'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('gpu', scenario.chance.pick(machine.gpus)),
      ...eventFields('kernel', 'xid_error', 'critical', 'NVRM: Xid (PCI:0000:1b:00): 31, MMU fault'),
    }),
  (scenario, at_s, machine) =>
    scenario.decoy({
      at_s,
      entity: ref('nic', machine.nic),
      ...eventFields('switch_snmp', 'link_down', 'critical', 'Out-of-band port down'),
    }),
];

/** The same of what a whole rack hangs on. */
const loudPlant: readonly Scene[] = [
  (scenario, at_s, machine) => {
    const [pdu] = scenario.chance.some(machine.pdus, 1);
    if (pdu)
      scenario.decoy({
        at_s,
        entity: ref('pdu', pdu),
        ...eventFields('pdu_snmp', 'outlet_off', 'critical', 'Outlet 17 (spare) switched off'),
      });
  },
  (scenario, at_s, machine) => {
    const [pdu] = scenario.chance.some(machine.pdus, 1);
    if (pdu)
      scenario.decoy({
        at_s,
        entity: ref('pdu', pdu),
        ...eventFields('pdu_snmp', 'pdu_overload', 'high', 'Bank 2 near overload: 15.8 A of 16 A'),
      });
  },
  (scenario, at_s, machine) => {
    const unit = scenario.world.cooling.get(machine.rack);
    if (unit)
      scenario.decoy({
        at_s,
        entity: ref('cooling', unit),
        ...eventFields('bms', 'cooling_failure', 'critical', 'Pump 2 of 2 stopped, pump 1 took over'),
      });
  },
];

/** Number and time of decoy events. */
interface DecoyPlan {
  readonly length_s: number;
  readonly anchor_s: number;
  readonly affected: readonly string[];
  readonly hard: boolean;
  readonly benignCritical: boolean;
}

/** Events that have nothing to do with it: all night long, and close to the onset on machines of the victims. */
export function addDecoys(scenario: Scenario, plan: DecoyPlan): void {
  const { chance, world } = scenario;
  const { anchor_s } = plan;
  const victims = world.services.filter(({ name }) => plan.affected.includes(name)).flatMap(({ machines }) => machines);
  const others = world.machines.filter((machine) => !victims.includes(machine));
  const racks = new Set(victims.map(({ rack }) => rack));
  const far = others.filter(({ rack }) => !racks.has(rack));
  const loud = [...loudMachine, ...loudPlant];
  const anyMachine = () => chance.pick(world.machines);
  for (let i = chance.poisson(plan.hard ? 9 : 6); i > 0; i--)
    chance.pick(routine)(scenario, chance.between(20, plan.length_s - 20), anyMachine());
  for (let i = plan.hard ? chance.whole(1, 3) : chance.whole(0, 1); i > 0; i--)
    chance.pick(routine)(
      scenario,
      anchor_s - chance.between(1, 55),
      chance.pick(victims.length > 0 ? victims : world.machines),
    );
  for (let i = chance.whole(0, 2); i > 0; i--)
    chance.pick(loud)(scenario, chance.between(20, plan.length_s - 20), anyMachine());
  if (plan.benignCritical && others.length > 0)
    for (let i = chance.whole(1, 3); i > 0; i--) {
      const plant = far.length > 0 && chance.chance(0.3);
      const machine = chance.pick(plant ? far : others);
      chance.pick(plant ? loudPlant : loudMachine)(scenario, anchor_s + chance.between(-50, 4), machine);
    }
  if (chance.chance(plan.hard ? 0.6 : 0.3))
    scenario.decoy({
      at_s: anchor_s + chance.between(-55, 20),
      entity: ref('device', `unknown-${chance.hex(4)}`),
      ...eventFields(
        'redfish',
        chance.pick(['psu_failover', 'cpu_power_cap', 'fan_failure']),
        chance.pick(['high', 'medium']),
        'reported by a device that nobody has entered',
      ),
    });
}

/** Batch pods come and go all night, and mostly take nothing from anybody. @returns where they run */
export function addPods(scenario: Scenario, length_s: number, chance: Chance): RecordedEdge[] {
  return Array.from({ length: chance.poisson(2) }, (): RecordedEdge => {
    const machine = chance.pick(scenario.world.machines);
    const pod = ref('pod', `batch/${chance.pick(['etl', 'backup', 'eval', 'index'])}-${chance.hex(5)}`);
    scenario.decoy({
      at_s: chance.between(20, length_s - 20),
      entity: pod,
      ...eventFields('kubernetes', 'pod_started', 'low', 'Started: started container worker'),
    });
    return { from: pod, kind: 'runs_on', to: machineRef(machine) };
  });
}

/** A night without any harm, on which something loud may well have happened all the same. */
export function addHarmlessEvents(scenario: Scenario, at_s: number): void {
  const { chance, world } = scenario;
  for (let i = chance.whole(1, 4); i > 0; i--)
    chance.pick([...loudMachine, ...loudPlant])(
      scenario,
      at_s + chance.between(-200, 200),
      chance.pick(world.machines),
    );
  const [pdu] = chance.some([...world.pduUps.keys()], 1);
  if (!pdu || chance.chance(0.5)) return;
  // A sag that every supply rode through or failed over from, as it should be.
  scenario.decoy({
    at_s,
    entity: ref('pdu', pdu),
    ...eventFields('pdu_snmp', 'voltage_sag', 'critical', 'Input voltage 188 V below threshold 207 V for 0.2 s'),
  });
  for (const machine of world.machines.filter(({ pdus }) => pdus.includes(pdu)))
    if (chance.chance(0.6))
      scenario.decoy({
        at_s: at_s + chance.around(0.8, 0.5),
        entity: machineRef(machine),
        ...eventFields('redfish', 'psu_failover', 'high', 'Power supply redundancy lost'),
      });
}
