import type { Occurrence } from '../engine.ts';
import { machineName } from './kernel.ts';
import type { Scene } from './scene.ts';
import { partOf } from './words.ts';

/** Event logs of the management controllers, as a crawl of Redfish kept them: a folder for each machine. */
export function recordControllers(scene: Scene): void {
  if (!scene.has('controllers', 'servers', 0.7) || scene.site.isCloud) {
    scene.recorders.delete('controllers');
    return;
  }
  const byMachine = Map.groupBy(scene.reported('controllers', Object.keys(words), 0.04), ({ subject }) =>
    machineName(subject),
  );
  for (const machine of scene.site.machines) {
    const entries = byMachine.get(machine.name) ?? [];
    if (entries.length === 0 && machine.index > 3) continue;
    const root = `redfish/${machine.name}`;
    const put = (path: string, doc: object): void =>
      scene.add(`${root}/redfish/v1/${path}/index.json`, [JSON.stringify(doc)]);
    put('Systems/1', {
      '@odata.id': '/redfish/v1/Systems/1',
      '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
      Id: '1',
      Name: 'System',
      HostName: machine.name,
      SerialNumber: `SN${(70_000 + machine.index * 13).toString(36).toUpperCase()}`,
      Manufacturer: 'Supermicro',
      Status: { State: 'Enabled', Health: 'OK' },
    });
    put('Systems/1/LogServices/Log1/Entries', {
      '@odata.id': '/redfish/v1/Systems/1/LogServices/Log1/Entries',
      '@odata.type': '#LogEntryCollection.LogEntryCollection',
      Name: 'Log Entries',
      'Members@odata.count': entries.length + 1,
      Members: [loginOf(scene), ...entries.map((one, i) => entryOf(scene, one, i + 2))],
    });
    for (const one of entries) {
      scene.link(one.subject, `server:${machine.name}`);
    }
  }
}

const entry = (number: number, created: string, severity: string, message: string, id: string, origin: string) => ({
  '@odata.id': `/redfish/v1/Systems/1/LogServices/Log1/Entries/${number}`,
  '@odata.type': '#LogEntry.v1_15_0.LogEntry',
  Id: String(number),
  Name: 'Log Entry',
  EntryType: 'Event',
  Created: created,
  Severity: severity,
  Message: message,
  MessageId: id,
  Links: { OriginOfCondition: { '@odata.id': origin } },
});

const loginOf = (scene: Scene) =>
  entry(
    1,
    createdAt(scene, 31),
    'OK',
    'User ADMIN logged in from 10.9.1.7.',
    'SecurityLog.1.0.Login',
    '/redfish/v1/Systems/1',
  );

/** Controllers keep seconds. */
const createdAt = (scene: Scene, at_s: number): string =>
  `${scene.date('controllers', at_s).toISOString().slice(0, 19)}Z`;

type Said = readonly [severity: string, message: string, id: string, origin: string];
const SYSTEM = '/redfish/v1/Systems/1';
const supplyPath = ({ subject }: Occurrence): string =>
  `/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/PSU${partOf(subject)}`;
const supply = ({ subject }: Occurrence): string => `Power supply PSU${partOf(subject)}`;

const words: Readonly<Record<string, (one: Occurrence) => Said>> = {
  supply_unfed: (one) => [
    'Critical',
    `${supply(one)} lost its input.`,
    'Power.1.0.PowerSupplyInputLost',
    supplyPath(one),
  ],
  supply_fed: (one) => [
    'OK',
    `${supply(one)} input has returned to normal.`,
    'Power.1.0.PowerSupplyInputNormal',
    supplyPath(one),
  ],
  supply_failed: (one) => ['Critical', `${supply(one)} has failed.`, 'Power.1.0.PowerSupplyFailed', supplyPath(one)],
  fan_warning: ({ data }) => [
    'Warning',
    `Fan ${data.fan} speed is below the lower non-critical threshold.`,
    'Environmental.1.0.FanSpeedBelowLowerThreshold',
    `/redfish/v1/Chassis/1/ThermalSubsystem/Fans/Fan${data.fan}`,
  ],
  memory_corrected: () => [
    'OK',
    'Correctable ECC error at DIMM P1-DIMMC1.',
    'Memory.1.0.CorrectableECCError',
    `${SYSTEM}/Memory/DIMMC1`,
  ],
  bmc_noise: () => [
    'Warning',
    'Sensor VBAT reading unavailable, the controller retries.',
    'Sensor.1.0.SensorReadingUnavailable',
    '/redfish/v1/Chassis/1/Sensors/VBAT',
  ],
  server_off: () => ['Warning', 'The system has lost AC power.', 'Platform.1.0.ACLost', SYSTEM],
  kernel_panic: () => [
    'Critical',
    'A runtime critical stop of the operating system occurred.',
    'Platform.1.0.OSCriticalStop',
    SYSTEM,
  ],
  server_up: () => ['OK', 'Host system is turning on.', 'Platform.1.0.PowerOn', SYSTEM],
  cpu_throttle: () => [
    'Warning',
    'Temperature of CPU1 exceeds the upper non-critical threshold.',
    'Environmental.1.0.TemperatureAboveUpperCautionThreshold',
    `${SYSTEM}/Processors/CPU1`,
  ],
};

function entryOf(scene: Scene, one: Occurrence, number: number): object {
  const [severity, message, id, origin] = words[one.type]!(one);
  return entry(number, createdAt(scene, one.at_s + 1), severity, message, id, origin);
}
