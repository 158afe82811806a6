import { type Aim, type Maker, minutes, nodeSubject, played, serverSubject, workingServer } from './fault.ts';
import { loseGpu } from './heat.ts';
import { endPod } from './pods.ts';
import { gpuOf, type State, type Subject } from './state.ts';
import { fail } from './training.ts';

/** A GPU that something computes on. */
function workingGpu(aim: Aim): { readonly server: number; readonly part: number } | undefined {
  const { site, chance } = aim;
  const replicas = [
    ...site.services.flatMap((service) => service.replicas),
    ...site.jobs.flatMap(({ ranks }) => ranks),
  ];
  const found = replicas.flatMap(({ server, gpus }) => gpus.map((part) => ({ server, part })));
  return found.length === 0 ? undefined : chance.pick(found);
}

/** Ends whatever computes on this GPU: its context is gone. */
function endWorkOn(state: State, server: number, part: number): void {
  state.site.services.forEach((service, i) => {
    service.replicas.forEach(({ gpus }, replica) => {
      if (state.services[i]!.replicas[replica]!.server === server && gpus.includes(part))
        endPod(state, { service: i, replica }, 'cuda');
    });
  });
  state.site.jobs.forEach((job, i) => {
    if (job.ranks.some((rank) => rank.server === server && rank.gpus.includes(part)))
      fail(state, job, state.jobs[i]!, 'cuda');
  });
}

const gpuHot: Maker = (aim) => {
  const found = workingGpu(aim);
  if (!found) return undefined;
  const { site, chance, at_s } = aim;
  const { server, part } = found;
  const [sick, ramp_s] = [chance.between(1.5, 3.5), chance.between(20, 240)];
  return {
    family: 'gpu_hot',
    story: `the cold plate of GPU ${part} of ${site.servers[server]!.name} loses contact: ${sick.toFixed(1)} times the heat resistance`,
    from_s: at_s,
    truth: { root: gpuOf(site, server, part).subject, same: gpuNames(site, server, part) },
    start: played({
      during: [
        [
          at_s,
          Number.POSITIVE_INFINITY,
          (state) => {
            state.servers[server]!.gpus[part]!.sick = 1 + (sick - 1) * Math.min(1, (state.at_s - at_s) / ramp_s);
          },
        ],
      ],
    }),
  };
};

/** One GPU under the names that recorders give it. */
const gpuNames = (site: Aim['site'], server: number, part: number): Subject[] => {
  const { name, gpus } = site.servers[server]!;
  return [
    `${name}/gpu${part}`,
    `${name}/gpu-${part}`,
    `${name}/pci-${gpus[part]!.pci}`,
    `${name}/${gpus[part]!.pci}.0`,
    `${name}/${gpus[part]!.pci}`,
  ].map((id) => ({ kind: 'gpu', id }));
};

const gpuOffTheBus: Maker = (aim) => {
  const found = workingGpu(aim);
  if (!found) return undefined;
  const { server, part } = found;
  return {
    family: 'gpu_off_the_bus',
    story: `GPU ${part} of ${aim.site.servers[server]!.name} falls off the bus`,
    from_s: aim.at_s,
    truth: { root: gpuOf(aim.site, server, part).subject, same: gpuNames(aim.site, server, part) },
    start: played({ once: [[aim.at_s, (state) => loseGpu(state, server, part)]] }),
  };
};

const gpuMemoryError: Maker = (aim) => {
  const found = workingGpu(aim);
  if (!found) return undefined;
  const { server, part } = found;
  const { site, chance, at_s } = aim;
  const xid = chance.pick([48, 94, 95]);
  const gpu = gpuOf(site, server, part);
  return {
    family: 'gpu_memory_error',
    story: `GPU ${part} of ${site.servers[server]!.name} has an uncorrectable memory error (Xid ${xid})`,
    from_s: at_s,
    truth: { root: gpu.subject, same: gpuNames(site, server, part) },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.noteAt('xid', server, gpu, { xid });
            state.noteAt('xid', server, gpu, { xid: 63 });
          },
        ],
        [at_s + chance.between(0.5, 4), (state) => endWorkOn(state, server, part)],
      ],
    }),
  };
};

const powerCap: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim, (i) => site.servers[i]!.gpus.length > 0);
  if (server === undefined) return undefined;
  const { gpus, gpu_w, name } = site.servers[server]!;
  const watts = Math.round(gpu_w * chance.between(0.18, 0.6));
  const seconds = chance.spread(240, 1800);
  const same = gpus.flatMap(({ index }) => [gpuOf(site, server, index).subject, ...gpuNames(site, server, index)]);
  const set = (to_w: number) => (state: State) => {
    for (const gpu of state.servers[server]!.gpus) gpu.cap_w = to_w;
    state.noteAt('cap_set', server, undefined, { from: watts === to_w ? gpu_w : watts, to: Math.min(to_w, gpu_w) });
  };
  return {
    family: 'power_cap',
    story: `the GPUs of ${name} are capped at ${watts} of ${gpu_w} W for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { root: serverSubject(site, server), same },
    start: played({
      once: [
        [at_s, set(watts)],
        [at_s + seconds, set(Number.POSITIVE_INFINITY)],
      ],
    }),
  };
};

const nvlink: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  if (site.jobs.length === 0) return undefined;
  const { server, gpus } = chance.pick(chance.pick(site.jobs).ranks);
  const part = chance.pick(gpus);
  const lanes = chance.between(0.15, 0.6);
  const gpu = gpuOf(site, server, part);
  return {
    family: 'nvlink',
    story: `NVLinks of GPU ${part} of ${site.servers[server]!.name} retrain: ${Math.round(lanes * 100)} % of the bandwidth is left`,
    from_s: at_s,
    truth: {
      root: gpu.subject,
      same: [...gpuNames(site, server, part), { kind: 'nvlink', id: `${gpu.subject.id}/NVLink_0` }],
    },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.servers[server]!.gpus[part]!.lanes = lanes;
            state.noteAt('xid', server, gpu, { xid: 74 });
          },
        ],
      ],
    }),
  };
};

const nicFlap: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim)!;
  const built = site.servers[server]!;
  const leaf = site.leaves[built.leaf]!.name;
  const nic: Subject = { kind: 'nic', id: `${built.name}/${built.nic}` };
  const gap_s = chance.between(20, 60);
  const flaps = Array.from({ length: chance.whole(1, 7) }, (_, i) => ({
    at_s: at_s + i * gap_s,
    seconds: chance.spread(1, 18),
  }));
  const values = { leaf, port: built.port };
  const cable = (up: boolean) => (state: State) => {
    state.servers[server]!.cable = up;
    state.noteAt(up ? 'link_up' : 'link_down', server, { subject: nic, part: built.port }, values);
  };
  return {
    family: 'nic_flap',
    story: `the link of ${nic.id} to port ${built.port} of ${leaf} goes down ${flaps.length} times`,
    from_s: at_s,
    truth: { root: nic, same: portNames(leaf, built.port) },
    start: played({
      once: flaps.flatMap((flap) => [
        [flap.at_s, cable(false)] as const,
        [flap.at_s + flap.seconds, cable(true)] as const,
      ]),
    }),
  };
};

const portNames = (leaf: string, port: number): Subject[] =>
  [`${leaf}/port-${port}`, `${leaf}/swp${port}`, `${leaf}/${port}`, `${leaf}/Ethernet${port}`].map((id) => ({
    kind: 'port',
    id,
  }));

const switchReboot: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const { leaf } = site.servers[workingServer(aim)!]!;
  const subject: Subject = { kind: 'switch', id: site.leaves[leaf]!.name };
  const seconds = chance.between(50, 300);
  const set = (up: boolean) => (state: State) => {
    state.leaves[leaf]!.up = up;
    state.note(up ? 'switch_up' : 'switch_down', subject);
    site.servers.forEach((server, i) => {
      const nic: Subject = { kind: 'nic', id: `${server.name}/${server.nic}` };
      if (server.leaf === leaf) state.noteAt(up ? 'link_up' : 'link_down', i, { subject: nic, part: server.port });
    });
  };
  return {
    family: 'switch_reboot',
    story: `${subject.id} restarts and is away for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { root: subject, same: [] },
    start: played({
      once: [
        [at_s, set(false)],
        [at_s + seconds, set(true)],
      ],
    }),
  };
};

const hostCrash: Maker = (aim) => {
  const { site, at_s } = aim;
  const server = workingServer(aim)!;
  const { boot_s, name } = site.servers[server]!;
  return {
    family: 'host_crash',
    story: `the kernel of ${name} panics; it is back after ${minutes(boot_s)}`,
    from_s: at_s,
    truth: { root: serverSubject(site, server), same: [nodeSubject(site, server)] },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.noteAt('panic', server);
            state.servers[server]!.crashed_s = boot_s;
          },
        ],
        [at_s + boot_s, (state) => state.noteAt('host_booted', server)],
      ],
    }),
  };
};

const cloudRetirement: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim)!;
  const instance = `i-0${(((site.seed * 2654435761) >>> 0) * 4096 + server).toString(16).padStart(16, '0').slice(-16)}`;
  const away_s = chance.between(200, 900);
  return {
    family: 'cloud_retirement',
    story: `the provider stops the instance of ${site.servers[server]!.name} for ${minutes(away_s)}`,
    from_s: at_s,
    truth: { root: { kind: 'instance', id: instance }, same: [serverSubject(site, server), nodeSubject(site, server)] },
    start: played({
      once: [
        [
          Math.max(5, at_s - chance.between(0, 400)),
          (state) => state.note('cloud_notice', { kind: 'instance', id: instance }, { server }),
        ],
        [
          at_s,
          (state) => {
            state.servers[server]!.crashed_s = away_s;
          },
        ],
      ],
    }),
  };
};

export const machineFaults: readonly Maker[] = [
  gpuHot,
  gpuOffTheBus,
  gpuMemoryError,
  powerCap,
  nvlink,
  nicFlap,
  switchReboot,
  hostCrash,
  cloudRetirement,
];
