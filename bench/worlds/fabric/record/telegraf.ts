import { randomOf } from '../chance.ts';
import { portName } from '../fault.ts';
import type { Machine } from '../site.ts';
import type { Scene } from './scene.ts';
import { type Line, sorted } from './scene.ts';

const MOST_LINES = 40_000;
const escaped = (text: string): string => text.replace(/([ ,=])/g, '\\$1');

/** Lines of Telegraf: what it polls of controllers by Redfish or IPMI, of UPSes, PDUs and switches by SNMP. */
export function recordTelegraf(scene: Scene): void {
  if (scene.site.isCloud) return;
  const hasServers = scene.has('telegraf', 'servers', 0.45);
  const hasSnmp = scene.has('telegraf snmp', 'facility', 0.45);
  if (!hasServers && !hasSnmp) return;
  const chance = scene.chance('telegraf');
  const step_s = chance.pick([10, 30, 30, 60]);
  const byRedfish = chance.is(0.5);
  const lines: Line[] = [];
  const put = (at_s: number, measurement: string, tags: Readonly<Record<string, string>>, fields: string): void => {
    const ms = Math.round(scene.ms(at_s + (scene.offsets.get('telegraf') ?? scene.offsets.get('telegraf snmp') ?? 0)));
    const text = Object.entries({ ...tags, host: 'telegraf-1' })
      .map(([key, value]) => `,${key}=${escaped(value)}`)
      .join('');
    lines.push({ at_s, text: `${measurement}${text} ${fields} ${ms}000000` });
  };
  const machines = scene
    .chance('telegraf machines')
    .some(scene.site.machines, Math.floor((MOST_LINES * step_s) / (scene.site.seconds * 5)));
  for (let at_s = chance.next() * step_s; at_s < scene.site.seconds; at_s += step_s) {
    if (hasServers) for (const machine of machines) (byRedfish ? redfish : ipmi)(scene, machine, at_s, put);
    if (hasSnmp) snmp(scene, at_s, put);
  }
  if (hasServers) for (const { name } of machines) scene.measurements.add(`controller:server:${name}`);
  if (hasSnmp) {
    for (const ups of scene.site.upses) scene.measurements.add(`battery:ups:${ups}`);
    for (const { pdus } of scene.site.rows)
      for (const pdu of Object.values(pdus)) scene.measurements.add(`current:pdu:${pdu}`);
  }
  scene.add('telegraf/metrics.lp', sorted(lines));
}

type Put = (at_s: number, measurement: string, tags: Readonly<Record<string, string>>, fields: string) => void;

function redfish(scene: Scene, machine: Machine, at_s: number, put: Put): void {
  const source = machine.name;
  for (let i = 1; i <= machine.supplies; i++) {
    const isFed = scene.value(`psu:${machine.name}/${i}`, at_s, 1) === 1;
    put(
      at_s,
      'redfish_power_powersupplies',
      {
        source,
        address: machine.address,
        name: `PSU${i}`,
        member_id: String(i - 1),
        health: isFed ? 'OK' : 'Critical',
        state: 'Enabled',
      },
      `line_input_voltage=${isFed ? (230 + 4 * randomOf(Math.floor(at_s), i, machine.index)).toFixed(1) : 0},power_output_watts=${isFed ? 400 : 0}`,
    );
  }
  put(
    at_s,
    'redfish_thermal_temperatures',
    { source, address: machine.address, name: 'Inlet Temp', member_id: '0', health: 'OK', state: 'Enabled' },
    `reading_celsius=${scene.value(`inlet:${machine.rack.name}`, at_s, 24).toFixed(1)}`,
  );
}

function ipmi(scene: Scene, machine: Machine, at_s: number, put: Put): void {
  for (let i = 1; i <= machine.supplies; i++) {
    const isFed = scene.value(`psu:${machine.name}/${i}`, at_s, 1) === 1;
    put(
      at_s,
      'ipmi_sensor',
      { server: machine.name, name: `psu${i}_power`, unit: 'watts' },
      `value=${isFed ? 410 : 0},status=1i`,
    );
  }
  put(
    at_s,
    'ipmi_sensor',
    { server: machine.name, name: 'inlet_temp', unit: 'degrees_c' },
    `value=${scene.value(`inlet:${machine.rack.name}`, at_s, 24).toFixed(1)},status=1i`,
  );
}

function snmp(scene: Scene, at_s: number, put: Put): void {
  const { site } = scene;
  for (const ups of site.upses)
    put(at_s, 'snmp', { agent_host: ups }, `upsOutputSource=${scene.value(`battery:${ups}`, at_s) === 1 ? 5 : 3}i`);
  for (const { pdus } of site.rows)
    for (const pdu of Object.values(pdus))
      for (const [i, phase] of ['L1', 'L2', 'L3'].entries()) {
        const load = Math.max(0.5, scene.value(`load:${pdu}/${phase}`, at_s, 0.5));
        const isOpen = scene.run.engine.journal.some(
          (one) =>
            one.at_s <= at_s && one.type === 'breaker_open' && one.subject === `pdu:${pdu}` && one.data.phase === phase,
        );
        put(
          at_s,
          'snmp_phase',
          { agent_host: pdu, rPDU2PhaseStatusIndex: String(i + 1) },
          `rPDU2PhaseStatusCurrent=${isOpen ? 0 : Math.round(1400 * load)}i`,
        );
      }
  for (const { tor } of site.rows) {
    const paused = scene.value(`pauses:${tor}`, at_s);
    put(
      at_s,
      'interface',
      { agent_host: tor, ifName: portName(site, 3) },
      `ifOutDiscards=${Math.round(at_s * (paused ? 40 : 0.01))}i`,
    );
  }
}
