import { workingOf } from '../simulate.ts';
import type { Happening } from '../state.ts';
import type { Scene } from './scene.ts';

type Line = readonly [priority: number, text: string];

/** Texts of Xid messages as the driver writes them. */
const xids: Readonly<Record<number, string>> = {
  13: 'pid=41120, name=python3, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Out Of Range Address',
  31: 'pid=41120, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f3c_2a000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ',
  43: 'pid=41120, name=python3, Ch 00000008',
  48: "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4, subpartition 1.",
  63: "pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
  74: "pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 5(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
  79: "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
  94: 'pid=41120, name=python3, Contained: CE User Channel (0x9). RST: No, D-RST: No',
  95: "pid='<unknown>', name=<unknown>, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No",
};

/** Lines of any day. */
const routine: readonly Line[] = [
  [6, 'perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79500'],
  [
    6,
    'audit: type=1400 audit(1767225600.123:812): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="cri-containerd.apparmor.d"',
  ],
  [6, 'IPv6: ADDRCONF(NETDEV_CHANGE): cali3f2a9d1c7b4: link becomes ready'],
  [4, 'workqueue: drm_fb_helper_damage_work hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND'],
  [6, 'eth0: renamed from tmp7d2f1'],
];

function linesOf(scene: Scene, { what, part = 0, server = 0, values }: Happening): readonly Line[] {
  const built = scene.run.site.servers[server]!;
  const gpu = built.gpus[part];
  switch (what) {
    case 'xid': {
      const xid = Number(values?.['xid']);
      return [
        [6, `NVRM: GPU at PCI:${gpu!.pci}: ${gpu!.uuid}`],
        [3, `NVRM: Xid (PCI:${gpu!.pci}): ${xid}, ${xids[xid] ?? 'unknown'}`],
        ...(xid === 79 ? [[3, `NVRM: GPU ${gpu!.pci}.0: GPU has fallen off the bus.`] as const] : []),
      ];
    }
    case 'link_down':
      return [[3, `mlx5_core 0000:3b:00.0 ${built.nic}: Link down`]];
    case 'link_up':
      return [[6, `mlx5_core 0000:3b:00.0 ${built.nic}: Link up`]];
    case 'panic':
      return [[0, 'Kernel panic - not syncing: Fatal exception in interrupt']];
    case 'host_booted':
      return [[5, 'Linux version 6.8.0-45-generic (buildd@lcy02-amd64-115) (gcc 13.2.0) #45-Ubuntu SMP']];
    case 'oom':
      return [
        [
          6,
          `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-7d2f.scope,mems_allowed=0-1,oom_memcg=/kubepods.slice,task_memcg=/kubepods.slice,task=${values?.['service']},pid=3120456,uid=1000`,
        ],
        [
          3,
          `Memory cgroup out of memory: Killed process 3120456 (${values?.['service']}) total-vm:24117248kB, anon-rss:16711680kB, file-rss:12288kB, shmem-rss:0kB, UID:1000 pgtables:33120kB oom_score_adj:968`,
        ],
      ];
    case 'memory_corrected':
      return [
        [
          4,
          'EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3b9e7a offset:0x440 grain:32 syndrome:0x0)',
        ],
      ];
    case 'inlet_hot':
      return [];
    default:
      return [];
  }
}

/**
 * The journals of all machines, collected in one place. Of a panic only what a net console caught; a machine that is off,
 * or cut off, brings its lines later with their own times, except those that were never written.
 */
export function recordKernel(scene: Scene): void {
  const { journal } = scene.run;
  const chance = scene.chance('kernel');
  const [netconsole, lossy] = [chance.is(0.6), chance.is(0.15)];
  const lines: (readonly [number, string])[] = [];
  const add = (host: string, at_s: number, [priority, text]: Line) => {
    const stamp = (BigInt(scene.nanos(scene.clock(`host ${host}`), at_s)) / 1000n).toString();
    lines.push([
      at_s,
      JSON.stringify({
        __REALTIME_TIMESTAMP: stamp,
        _HOSTNAME: host,
        _TRANSPORT: 'kernel',
        SYSLOG_IDENTIFIER: 'kernel',
        PRIORITY: String(priority),
        MESSAGE: text,
      }),
    ]);
  };
  for (const happening of journal) {
    if (happening.server === undefined || (happening.what === 'panic' && !netconsole) || (lossy && chance.is(0.2)))
      continue;
    const found = linesOf(scene, happening);
    for (const line of found) add(scene.server(happening.server), happening.at_s + chance.exponential(0.01), line);
    if (found.length > 0) scene.keep(happening);
  }
  recordStores(scene, add);
  for (const i of workingOf(scene.run.site))
    for (let k = chance.whole(1, 3); k > 0; k--)
      add(scene.server(i), chance.between(0, scene.run.site.seconds), chance.pick(routine));
  lines.sort(([a], [b]) => a - b);
  scene.files.set('journal.jsonl', `${lines.map(([, text]) => text).join('\n')}\n`);
}

/** Seconds that an NFS client waits for an answer before it complains (timeo=600, nfs(5)). */
const NFS_TIMEOUT_S = 60;

/** A filer's own kernel names a broken disk; its clients complain when it has not answered for long. */
function recordStores(scene: Scene, add: (host: string, at_s: number, line: Line) => void): void {
  const { journal, site } = scene.run;
  for (const [k, happening] of journal.entries()) {
    const store = site.stores[happening.part ?? 0];
    if (!store || !(happening.what === 'disk_broken' || happening.what === 'store_slow')) continue;
    if (happening.what === 'disk_broken') {
      add(store.name, happening.at_s - 0.4, [
        3,
        'blk_update_request: I/O error, dev sdk, sector 1953525160 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2',
      ]);
      add(store.name, happening.at_s, [2, 'md/raid:md127: Disk failure on sdk1, disabling device.']);
      scene.keep(happening);
      continue;
    }
    const over = journal.slice(k).find(({ what, part }) => what === 'store_ok' && part === happening.part);
    const until_s = over?.at_s ?? site.seconds;
    if (Number(happening.values?.['factor']) > 0 || until_s - happening.at_s < NFS_TIMEOUT_S) continue;
    for (const server of clientsOf(scene, happening.part ?? 0)) {
      const lustre = store.name.startsWith('lustre');
      add(server, happening.at_s + NFS_TIMEOUT_S, [
        4,
        lustre
          ? `Lustre: scratch-OST0003-osc-ffff9c5d: Connection to scratch-OST0003 (at ${store.name}@o2ib) was lost; in progress operations using this service will wait for recovery to complete`
          : `nfs: server ${store.name} not responding, still trying`,
      ]);
      add(server, until_s + 1, [
        4,
        lustre
          ? `Lustre: scratch-OST0003-osc-ffff9c5d: Connection restored to scratch-OST0003 (at ${store.name}@o2ib)`
          : `nfs: server ${store.name} OK`,
      ]);
    }
    scene.keep(happening);
  }
}

/** Machines that mount a store. */
export function clientsOf({ run: { site } }: Scene, store: number): string[] {
  const services = site.services.filter((one) => one.store === store).flatMap(({ replicas }) => replicas);
  const ranks = site.jobs.filter((one) => one.store === store).flatMap((job) => job.ranks);
  return [...new Set([...services, ...ranks].map(({ server }) => site.servers[server]!.name))];
}
