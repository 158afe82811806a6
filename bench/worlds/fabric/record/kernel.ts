import type { Occurrence } from '../engine.ts';
import { pciOf } from '../fault.ts';
import type { Machine } from '../site.ts';
import type { Scene } from './scene.ts';
import { type Line, sorted } from './scene.ts';

const TYPES = [
  'xid',
  'link_down',
  'link_up',
  'near_link_down',
  'near_link_up',
  'out_of_memory',
  'kernel_panic',
  'disk_errors',
  'cpu_throttle',
  'memory_corrected',
  'server_up',
  'store_slow',
  'store_stopped',
  'store_back',
];

/** Where an event stands: `server:x`, `gpu:x/1`, `nic:x/2`. */
export const machineName = (subject: string): string => subject.replace(/^[a-z]+:/, '').replace(/\/.*$/, '');

/** Lines of the kernel, and of what else writes on a machine: by rsyslog into one file, or from the journal of each. */
export function recordKernel(scene: Scene): void {
  if (!scene.has('kernel', 'servers', 0.85)) return;
  const chance = scene.chance('kernel');
  const isJournal = chance.is(0.4);
  const { site } = scene;
  const byName = new Map(site.machines.map((machine) => [machine.name, machine]));
  const keepsPanics = chance.is(0.5);
  const types = keepsPanics ? TYPES : TYPES.filter((type) => type !== 'kernel_panic');
  const lines: Line[] = [];
  const put = (at_s: number, host: string, program: string, message: string, level = 6): void => {
    lines.push({
      at_s,
      text: isJournal
        ? journal(scene, { at_s, host, program, message, level })
        : syslog(scene, at_s, host, program, message),
    });
  };
  for (const one of scene.reported('kernel', types)) {
    if (one.type.startsWith('store_')) clients(scene, one, put);
    else {
      const machine = byName.get(machineName(one.subject))!;
      for (const [message, level] of wordsOf(one, machine)) put(one.at_s, machine.name, 'kernel', message, level);
      scene.link(one.subject, `server:${machine.name}`);
    }
  }
  for (const machine of site.machines.slice(0, 60)) everyday(scene, machine, put);
  scene.add(isJournal ? 'logs/journal.json' : 'logs/syslog', sorted(lines));
}

type Put = (at_s: number, host: string, program: string, message: string, level?: number) => void;

function syslog(scene: Scene, at_s: number, host: string, program: string, message: string): string {
  const time = scene.date('kernel', at_s).toISOString().replace('Z', '123+00:00');
  return `${time} ${host} ${program === 'kernel' ? 'kernel' : `${program}[${1000 + ((host.length * 37) % 900)}]`}: ${message}`;
}

interface Entry {
  readonly at_s: number;
  readonly host: string;
  readonly program: string;
  readonly message: string;
  readonly level: number;
}
const journal = (scene: Scene, { at_s, host, program, message, level }: Entry): string =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: `${scene.date('kernel', at_s).getTime()}000`,
    _HOSTNAME: host,
    ...(program === 'kernel' ? { _TRANSPORT: 'kernel' } : { _TRANSPORT: 'syslog' }),
    SYSLOG_IDENTIFIER: program,
    PRIORITY: String(level),
    MESSAGE: message,
  });

function wordsOf({ type, subject, data }: Occurrence, machine: Machine): (readonly [message: string, level: number])[] {
  const part = Number(subject.split('/')[1] ?? 0);
  const card = part === 0 ? '0000:01:00.0 eth0' : `0000:${(0x40 + part).toString(16)}:00.0 ibs${part - 1}`;
  switch (type) {
    case 'xid':
      return [[`NVRM: Xid (PCI:${pciOf(part)}): ${data.code}, ${data.text}`, 3]];
    case 'near_link_down':
    case 'link_down':
      return [[`mlx5_core ${card}: Link down`, 6]];
    case 'near_link_up':
    case 'link_up':
      return [[`mlx5_core ${card}: Link up`, 6]];
    case 'out_of_memory':
      return [
        [
          `${data.process} invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0`,
          4,
        ],
        [
          `Out of memory: Killed process ${4000 + machine.index} (${data.process}) total-vm:98304000kB, anon-rss:91750400kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:180000kB oom_score_adj:0`,
          3,
        ],
      ];
    case 'kernel_panic':
      return [[`Kernel panic - not syncing: ${data.reason}`, 0]];
    case 'disk_errors':
      return [
        [
          `blk_update_request: I/O error, dev ${data.device}, sector ${88_000_000 + machine.index * 8} op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0`,
          3,
        ],
        [`Buffer I/O error on dev ${data.device}, logical block 11000000, async page read`, 3],
      ];
    case 'cpu_throttle':
      return [[`CPU12: Package temperature above threshold, cpu clock throttled (total events = 41)`, 2]];
    case 'memory_corrected':
      return [
        [
          `EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1b3f offset:0x40 grain:32 syndrome:0x0)`,
          4,
        ],
      ];
    default:
      return [
        [`Linux version 5.15.0-1053-nvidia (buildd@lcy02-amd64-032) (gcc (Ubuntu 11.4.0) 11.4.0) #54-Ubuntu SMP`, 5],
      ];
  }
}

/** Clients complain about a storage server; the server itself is silent. */
function clients(scene: Scene, { type, at_s, subject }: Occurrence, put: Put): void {
  const { site } = scene;
  const server = site.machines.find(({ name }) => `server:${name}` === subject)!;
  const users = [
    ...new Set([
      ...site.jobs.flatMap(({ machines }) => machines),
      ...site.services.filter(({ readsFiles }) => readsFiles).flatMap(({ hosts }) => hosts),
    ]),
  ];
  const ost = `fs1-OST${String(site.stores.indexOf(server)).padStart(4, '0')}-osc-ffff9c2e4e3f1000`;
  for (const [i, client] of users.slice(0, 12).entries()) {
    const later_s = at_s + (type === 'store_back' ? 3 : 27) + i * 0.7;
    if (type === 'store_back')
      put(
        later_s,
        client.name,
        'kernel',
        `Lustre: ${ost}: Connection restored to ${server.name} (at ${server.name}@tcp)`,
        6,
      );
    else
      put(
        later_s,
        client.name,
        'kernel',
        `Lustre: ${ost}: Connection to ${ost.slice(0, 11)} (at ${server.name}@tcp) was lost; in progress operations using this service will wait for recovery to complete`,
        4,
      );
    scene.link(subject, `server:${client.name}`);
  }
}

function everyday(scene: Scene, { name, index }: Machine, put: Put): void {
  const chance = scene.chance(`everyday ${index}`);
  for (let at_s = chance.between(0, 600); at_s < scene.site.seconds; at_s += chance.between(200, 900))
    if (chance.is(0.5)) put(at_s, name, 'CRON', '(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)');
    else if (chance.is(0.6))
      put(
        at_s,
        name,
        'sshd',
        `Accepted publickey for ops from 10.9.1.${chance.whole(2, 60)} port ${chance.whole(30_000, 60_000)} ssh2: ED25519 SHA256:kqf`,
      );
    else put(at_s, name, 'systemd', 'Started Daily apt download activities.');
}
