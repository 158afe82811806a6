import { randomOf } from '../chance.ts';
import type { Occurrence } from '../engine.ts';
import { portName, portOf } from '../fault.ts';
import type { Machine, Site } from '../site.ts';
import { machineName } from './kernel.ts';
import { type Line, type Scene, sorted } from './scene.ts';
import { idOf, isoStamp, partOf, sonicStamp } from './words.ts';

type Vendor = Site['switches'];
const TYPES = [
  'link_down',
  'link_up',
  'far_link_down',
  'far_link_up',
  'congested',
  'congestion_ended',
  'switch_restart',
  'switch_up',
  'switch_down',
  'port_down',
  'port_up',
];

/** Syslog of the switches, in the words of their system: one of SONiC, EOS and NVOS at a site. */
export function recordSwitches(scene: Scene): void {
  if (!scene.has('switches', 'network', 0.8)) return;
  const { site } = scene;
  const vendor = site.switches;
  const byName = new Map(site.machines.map((machine) => [machine.name, machine]));
  const lines: Line[] = [];
  for (const one of scene.reported('switches', TYPES)) {
    const said = sayingOf(site, one, byName);
    if (!said) continue;
    lines.push({ at_s: one.at_s, text: lineOf(scene, vendor, one.at_s, said) });
    // The far end of a cable is known from the port's neighbour, where the map has it.
    if (one.subject.startsWith('nic:')) scene.link(one.subject, `port:${said.device}/${said.port}`);
  }
  for (const row of site.rows) everyday(scene, row.tor, vendor, lines);
  scene.add(`switches/${vendor === 'central' ? 'syslog' : vendor}.log`, sorted(lines));
}

interface Said {
  readonly device: string;
  readonly port: string;
  readonly program: string;
  readonly message: string;
}

function sayingOf(site: Site, one: Occurrence, byName: ReadonlyMap<string, Machine>): Said | undefined {
  const { type, subject, data } = one;
  const vendor = site.switches;
  if (subject.startsWith('nic:')) {
    const { device, port } = portOf(site, byName.get(machineName(subject))!, Number(partOf(subject)));
    return said(device, port, linkWords(vendor, port, type.endsWith('link_up')));
  }
  if (subject.startsWith('port:')) {
    const [device = '', port = ''] = idOf(subject).split('/');
    return said(device, port, linkWords(vendor, port, type === 'port_up'));
  }
  const device = idOf(subject);
  const port = String(data.port ?? '');
  const words = wordsOfSwitch(vendor, type, port);
  return words && said(device, port, words);
}

const said = (device: string, port: string, [program, message]: readonly [program: string, message: string]): Said => ({
  device,
  port,
  program,
  message,
});

function linkWords(vendor: Vendor, port: string, isUp: boolean): readonly [string, string] {
  const state = isUp ? 'up' : 'down';
  if (vendor === 'sonic' || vendor === 'central')
    return [
      'swss#orchagent',
      `:- updatePortOperStatus: Port ${port} oper state set from ${isUp ? 'down to up' : 'up to down'}`,
    ];
  if (vendor === 'eos')
    return ['Ebra', `%LINEPROTO-5-UPDOWN: Line protocol on Interface ${port}, changed state to ${state}`];
  return ['switchd', `${port}: link is ${state}`];
}

function wordsOfSwitch(vendor: Vendor, type: string, port: string): readonly [string, string] | undefined {
  const pfc: Readonly<Record<Exclude<Vendor, 'central'>, readonly [string, string]>> = {
    sonic: [
      'swss#orchagent',
      `:- startWdActionOnQueue: PFC Watchdog detected PFC storm on port ${port}, queue index 3, queue id 0x15000000000611 and port id 0x100000000000a`,
    ],
    eos: ['PfcWatchdog', `%PFC_WATCHDOG-4-QUEUE_STUCK: Queue 3 on port ${port} is stuck due to PFC storm`],
    nvos: ['doroced', `congestion detected on ${port}: buffer occupancy above threshold for traffic class 3`],
  };
  const over: Readonly<Record<Exclude<Vendor, 'central'>, readonly [string, string]>> = {
    sonic: [
      'swss#orchagent',
      `:- stopWdActionOnQueue: PFC Watchdog storm restored on port ${port}, queue index 3, queue id 0x15000000000611 and port id 0x100000000000a`,
    ],
    eos: ['PfcWatchdog', `%PFC_WATCHDOG-4-QUEUE_UNSTUCK: Queue 3 on port ${port} is no longer stuck`],
    nvos: ['doroced', `congestion cleared on ${port}: buffer occupancy below threshold for traffic class 3`],
  };
  const system = vendor === 'central' ? 'sonic' : vendor;
  switch (type) {
    case 'congested':
      return pfc[system];
    case 'congestion_ended':
      return over[system];
    case 'switch_restart':
      return vendor === 'eos'
        ? ['ConfigAgent', '%SYS-5-RELOAD: Reload requested by admin. Reload reason: software upgrade']
        : ['systemd', 'Starting Reboot to apply firmware image...'];
    case 'switch_up':
      return vendor === 'eos'
        ? ['ProcMgr', '%SYS-5-SYSTEM_RESTARTED: System restarted']
        : ['kernel', 'Linux version 6.1.0-22-2-amd64 (debian-kernel@lists.debian.org) #1 SMP'];
    case 'switch_down':
      return vendor === 'eos'
        ? ['Thermostat', '%HARDWARE-2-ASIC_FAULT: Switching ASIC 0 failed, all ports are down']
        : ['kernel', 'mlxsw_spectrum 0000:03:00.0: Bus error, ASIC does not respond'];
    default:
      return undefined;
  }
}

function lineOf(scene: Scene, vendor: Vendor, at_s: number, { device, program, message }: Said): string {
  const date = scene.date('switches', at_s);
  if (vendor === 'sonic') return `${sonicStamp(date)} ${device} NOTICE ${program}: ${message}`;
  if (vendor === 'eos') return `${isoStamp(date)} ${device} ${program}: ${message}`;
  return program === 'kernel'
    ? `${isoStamp(date)} ${device} kernel: ${message}`
    : `${isoStamp(date)} ${device} ${program}[${900 + device.length}]: ${message}`;
}

/** Ports of offices and neighbours of protocols come and go on any day. */
function everyday(scene: Scene, device: string, vendor: Vendor, lines: Line[]): void {
  const chance = scene.chance(`everyday ${device}`);
  for (let at_s = chance.between(20, 700); at_s < scene.site.seconds; at_s += chance.between(300, 1300)) {
    const port = portName(scene.site, 70 + Math.floor(10 * randomOf(Math.floor(at_s), 3, scene.site.seed)));
    if (chance.is(0.4))
      lines.push({
        at_s,
        text: lineOf(scene, vendor, at_s, said(device, port, ['lldpd', `LLDP neighbor added on ${port}`])),
      });
    else
      lines.push({
        at_s,
        text: lineOf(
          scene,
          vendor,
          at_s,
          said(device, port, ['sshd', 'Accepted publickey for admin from 10.9.1.14 port 50112 ssh2']),
        ),
      });
  }
}
