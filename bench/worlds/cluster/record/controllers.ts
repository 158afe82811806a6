import type { Chance } from '../chance.ts';
import { workingOf } from '../simulate.ts';
import { type Server, supplyName } from '../site.ts';
import type { Happening } from '../state.ts';
import type { Scene } from './scene.ts';

type Severity = 'OK' | 'Warning' | 'Critical';
type Words = readonly [id: string, severity: Severity, message: string, place?: string];
type Table = Readonly<Record<string, (part: number, name: string, values: Happening['values']) => Words>>;

/** iDRAC 9, Event and Error Message Reference. */
const idrac: Table = {
  supply_broken: (k) => ['IDRAC.2.8.PSU0001', 'Critical', `Power supply ${k + 1} failed.`],
  supply_input_lost: (k) => ['IDRAC.2.8.PSU0003', 'Critical', `The power input for power supply ${k + 1} is lost.`],
  supply_input_back: (k) => ['IDRAC.2.8.PSU0017', 'OK', `Power supply ${k + 1} is operating normally.`],
  brake_on: () => [
    'IDRAC.2.8.PWR1004',
    'Warning',
    'The system performance degraded because power capacity has changed.',
  ],
  brake_off: () => ['IDRAC.2.8.PWR1005', 'OK', 'The system performance restored.'],
  host_off: () => ['IDRAC.2.8.SYS1001', 'OK', 'System is turning off.'],
  host_booted: () => ['IDRAC.2.8.SYS1000', 'OK', 'System is turning on.'],
  inlet_hot: () => [
    'IDRAC.2.8.TMP0120',
    'Warning',
    'The system inlet temperature is greater than the upper warning threshold.',
  ],
  inlet_cool: () => ['IDRAC.2.8.TMP0122', 'OK', 'The system inlet temperature is within range.'],
  fan_broken: (k) => ['IDRAC.2.8.FAN0001', 'Critical', `Fan ${k} RPM is less than the lower critical threshold.`],
  memory_corrected: () => ['IDRAC.2.8.MEM0701', 'Warning', 'Correctable memory error rate exceeded for DIMM_A3.'],
};

/** Integrated Management Log of iLO 5 and 6. */
const ilo: Table = {
  supply_broken: (k) => [
    'iLOEvents.3.0.PowerSupplyFailed',
    'Critical',
    `System Power Supply: General Failure (Power Supply ${k + 1})`,
  ],
  supply_input_lost: (k) => [
    '35.1017',
    'Critical',
    `System Power Supply: Input Power Loss or Unplugged Power Cord, Verify Power Supply Input (Power Supply ${k + 1})`,
  ],
  supply_input_back: (k) => ['35.1018', 'OK', `System Power Supply: Input Power restored (Power Supply ${k + 1})`],
  host_off: () => ['iLOResourceEvents.1.3.ServerPoweredOff', 'OK', 'Server power removed.'],
  host_booted: () => ['iLOResourceEvents.1.3.ServerPoweredOn', 'OK', 'Server power restored.'],
  inlet_hot: (_k, _name, values) => [
    '2.1',
    'Warning',
    `System Overheating (Temperature Sensor 1, Location Ambient, Temperature ${values?.['celsius']}C)`,
  ],
  fan_broken: (k) => ['35.3', 'Critical', `System Fan Failure (Fan ${k}, Location System)`],
  memory_corrected: () => ['17.10', 'Warning', 'Corrected Memory Error threshold exceeded (Processor 1, DIMM 4)'],
};

/** System event log of Supermicro boards. */
const supermicro: Table = {
  supply_broken: (_k, name) => ['Event.1.0.PowerSupply', 'Critical', `${name} Status: Failure detected - Assertion`],
  supply_input_lost: (_k, name) => [
    'Event.1.0.PowerSupply',
    'Critical',
    `${name} Status: Power Supply input lost (AC/DC) - Assertion`,
  ],
  supply_input_back: (_k, name) => [
    'Event.1.0.PowerSupply',
    'OK',
    `${name} Status: Power Supply input lost (AC/DC) - Deassertion`,
  ],
  inlet_hot: () => ['Event.1.0.Temperature', 'Warning', 'Inlet Temp: Upper Non-critical - Going high - Assertion'],
  inlet_cool: () => ['Event.1.0.Temperature', 'OK', 'Inlet Temp: Upper Non-critical - Going high - Deassertion'],
  fan_broken: (k) => ['Event.1.0.Fan', 'Critical', `FAN${k}: Lower Critical - Going low - Assertion`],
  memory_corrected: () => ['Event.1.0.Memory', 'Warning', '[ OEM ] Correctable ECC @DIMMB1'],
};

/** OpenBMC's registry, with the place in OriginOfCondition. */
const openbmc: Table = {
  supply_broken: (_k, name) => [
    'OpenBMC.0.4.PowerSupplyFailed',
    'Critical',
    `Power supply ${name} failed.`,
    `PowerSubsystem/PowerSupplies/${name}`,
  ],
  supply_input_lost: (_k, name) => [
    'OpenBMC.0.4.PowerSupplyPowerLost',
    'Critical',
    `Power supply ${name} power lost.`,
    `PowerSubsystem/PowerSupplies/${name}`,
  ],
  supply_input_back: (_k, name) => [
    'OpenBMC.0.4.PowerSupplyPowerRestored',
    'OK',
    `Power supply ${name} power restored.`,
    `PowerSubsystem/PowerSupplies/${name}`,
  ],
  host_off: () => ['OpenBMC.0.4.DCPowerOff', 'OK', 'Host system DC power is off'],
  host_booted: () => ['OpenBMC.0.4.DCPowerOn', 'OK', 'Host system DC power is on'],
  inlet_hot: (_k, _name, values) => [
    'OpenBMC.0.4.SensorThresholdWarningHighGoingHigh',
    'Warning',
    `Inlet_Temp sensor crossed a warning high threshold going high. Reading=${values?.['celsius']} Threshold=35.`,
  ],
  inlet_cool: (_k, _name, values) => [
    'OpenBMC.0.4.SensorThresholdWarningHighGoingLow',
    'OK',
    `Inlet_Temp sensor crossed a warning high threshold going low. Reading=${values?.['celsius']} Threshold=35.`,
  ],
  fan_broken: (k) => [
    'OpenBMC.0.4.FanTachFailure',
    'Critical',
    `Fan_${k} sensor crossed a critical low threshold going low.`,
    `ThermalSubsystem/Fans/${k}`,
  ],
  memory_corrected: () => [
    'OpenBMC.0.4.MemoryECCCorrectable',
    'Warning',
    'Correctable ECC memory error at CPU 0 channel 2 DIMM 1.',
  ],
};

const tables = { idrac, ilo, supermicro, openbmc } as const;

/** What stands in these logs on any day: who logged in, and how the machine was started months ago. */
function routine(chance: Chance, seconds: number, { controller }: Server): Entry[] {
  const login: Words = {
    idrac: ['IDRAC.2.8.USR0030', 'OK', 'Successfully logged in using root, from 10.0.0.7 and REDFISH.'] as const,
    ilo: ['iLOEvents.3.0.Login', 'OK', 'Browser login: monitor - 10.0.0.7(DNS name not found).'] as const,
    openbmc: ['OpenBMC.0.4.SessionCreated', 'OK', 'User monitor created a session from 10.0.0.7.'] as const,
    supermicro: ['Event.1.0.OEM', 'OK', '[ OEM ] Login success from 10.0.0.7'] as const,
  }[controller];
  const started = tables[controller]['host_booted']?.(0, '', undefined);
  const old = started ? [{ at_s: -chance.between(5e6, 2e7), words: started }] : [];
  return [
    ...old,
    ...Array.from({ length: chance.whole(1, 3) }, () => ({ at_s: chance.between(-6000, seconds), words: login })),
  ];
}

/** The event log of each management controller: one clock each, to the second, after a scan of the sensors. */
export function recordControllers(scene: Scene): void {
  const { journal, site } = scene.run;
  const heard = Map.groupBy(
    journal.filter(({ server }) => server !== undefined),
    ({ server }) => server!,
  );
  for (const i of new Set([...heard.keys(), ...workingOf(site)])) {
    const server = site.servers[i]!;
    const chance = scene.chance(`controller ${server.name}`);
    // Some do not answer when the logs are fetched.
    if (chance.is(0.04)) continue;
    const entries = (heard.get(i) ?? []).flatMap((happening) => {
      const words = tables[server.controller][happening.what]?.(
        happening.part ?? 0,
        supplyName(server.controller, happening.part ?? 0),
        happening.values,
      );
      if (!words) return [];
      scene.keep(happening);
      return [{ at_s: happening.at_s + chance.between(0.2, 5), words }];
    });
    entries.push(...routine(chance, site.seconds, server));
    entries.sort((a, b) => a.at_s - b.at_s);
    scene.files.set(
      `redfish/${server.name}/index.json`,
      JSON.stringify([systemOf(server), ...entries.map((entry, k) => entryOf(scene, server, entry, k))]),
    );
  }
}

const systemOf = ({ name }: Server) => ({
  '@odata.id': '/redfish/v1/Systems/1',
  '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
  Id: '1',
  Name: 'System',
  SystemType: 'Physical',
  HostName: name,
});

interface Entry {
  readonly at_s: number;
  readonly words: Words;
}

function entryOf(scene: Scene, server: Server, { at_s, words }: Entry, k: number) {
  const [MessageId, Severity, Message, place] = words;
  const log = { ilo: 'IML', idrac: 'Sel', openbmc: 'EventLog', supermicro: 'Log1' }[server.controller];
  return {
    '@odata.id': `/redfish/v1/Systems/1/LogServices/${log}/Entries/${k + 1}`,
    '@odata.type': '#LogEntry.v1_15_0.LogEntry',
    Id: String(k + 1),
    Name: `Log entry ${k + 1}`,
    EntryType: server.controller === 'supermicro' ? 'SEL' : 'Event',
    Created: scene.iso(scene.clock(`controller ${server.name}`, 'careless'), at_s, 0),
    MessageId,
    Message,
    Severity,
    ...(server.controller === 'supermicro'
      ? { EntryCode: Message.endsWith('Deassertion') ? 'Deassert' : 'Assert' }
      : {}),
    ...(place ? { Links: { OriginOfCondition: { '@odata.id': `/redfish/v1/Chassis/1/${place}` } } } : {}),
  };
}
