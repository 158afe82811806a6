import { type Maker, minutes, nodeSubject, played, serverSubject, workingServer } from './fault.ts';
import { movePod } from './pods.ts';
import type { State, Subject } from './state.ts';

/** A filer is a machine as others are. */
const storeSubject = (name: string): Subject => ({ kind: 'server', id: name });

const storage =
  (family: 'storage_stall' | 'disk_failure' | 'slow_checkpoint'): Maker =>
  ({ site, chance, at_s }) => {
    const store = chance.whole(0, site.stores.length - 1);
    const { name } = site.stores[store]!;
    const [factor, seconds] = {
      storage_stall: [0, chance.spread(15, 180)] as const,
      disk_failure: [chance.between(0.05, 0.4), chance.spread(200, 900)] as const,
      slow_checkpoint: [chance.between(0.02, 0.08), chance.between(500, 1000)] as const,
    }[family];
    return {
      family,
      story: `${name} delivers ${Math.round(factor * 100)} % of what it can for ${minutes(seconds)}`,
      from_s: at_s,
      truth: { root: storeSubject(name), same: [] },
      start: played({
        once: [
          [
            at_s,
            (state) =>
              state.note(family === 'disk_failure' ? 'disk_broken' : 'store_slow', storeSubject(name), {
                part: store,
                values: { factor },
              }),
          ],
          [at_s + seconds, (state) => state.note('store_ok', storeSubject(name), { part: store, values: { factor } })],
        ],
        during: [
          [
            at_s,
            at_s + seconds,
            (state) => {
              state.stores[store]!.factor = factor;
            },
          ],
          [
            at_s + seconds,
            Number.POSITIVE_INFINITY,
            (state) => {
              state.stores[store]!.factor = 1;
            },
          ],
        ],
      }),
    };
  };

/** Names of pods of other teams. */
const strangers = [
  'backup-rsync',
  'image-builder',
  'etl-nightly',
  'ray-tune',
  'bazel-remote',
  'log-compactor',
] as const;

const congestion: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim)!;
  const { leaf } = site.servers[server]!;
  const { name, uplink_gbps } = site.leaves[leaf]!;
  const [seconds, load] = [chance.spread(60, 900), chance.between(0.95, 1.8)];
  const pod = `${chance.pick(strangers)}-${chance.hex(5)}`;
  return {
    family: 'congestion',
    story: `${pod} sends ${Math.round(load * 100)} % of what the uplinks of ${name} carry, for ${minutes(seconds)}`,
    from_s: at_s,
    truth: {
      root: { kind: 'switch', id: name },
      same: [
        { kind: 'pod', id: `batch/${pod}` },
        { kind: 'pod', id: pod },
      ],
    },
    start: played({
      once: [
        [at_s, (state) => state.note('stranger_started', { kind: 'pod', id: pod }, { server })],
        [at_s + 5, (state) => state.note('uplink_full', { kind: 'switch', id: name }, { values: { load } })],
        [at_s + seconds, (state) => state.note('uplink_ok', { kind: 'switch', id: name })],
      ],
      during: [
        [
          at_s,
          at_s + seconds,
          (state) => {
            state.leaves[leaf]!.extra_gbps = load * uplink_gbps;
          },
        ],
        [
          at_s + seconds,
          at_s + seconds + 1,
          (state) => {
            state.leaves[leaf]!.extra_gbps = 0;
          },
        ],
      ],
    }),
  };
};

/** Services' pods on a machine at this time. */
const podsOn = (state: State, server: number) =>
  state.services.flatMap(({ replicas }, service) =>
    replicas.flatMap((pod, replica) => (pod.server === server && pod.up ? [{ service, replica }] : [])),
  );

const servingServer: Maker extends (aim: infer A) => unknown ? (aim: A) => number : never = (aim) => {
  const found = aim.site.services.flatMap(({ replicas }) => replicas.map(({ server }) => server));
  return aim.chance.pick(found);
};

const nodeEviction: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = servingServer(aim);
  const resource = chance.pick(['ephemeral-storage', 'memory']);
  const node = nodeSubject(site, server);
  return {
    family: 'node_eviction',
    story: `${node.id} runs low on ${resource} and evicts its pods`,
    from_s: at_s,
    truth: { root: node, same: [serverSubject(site, server)] },
    start: played({
      once: [
        [at_s, (state) => state.note('node_pressure', node, { server, values: { resource } })],
        [
          at_s + chance.between(5, 25),
          (state) => {
            for (const place of podsOn(state, server)) movePod(state, place, 'evicted', { resource });
          },
        ],
      ],
    }),
  };
};

const preemption: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = servingServer(aim);
  const pod = `${chance.pick(['urgent-train', 'prio-batch', 'demo-run'])}-${chance.hex(5)}`;
  return {
    family: 'preemption',
    story: `${pod} of a higher priority takes the place of the pods on ${site.servers[server]!.name}`,
    from_s: at_s,
    truth: {
      root: { kind: 'pod', id: `batch/${pod}` },
      same: [{ kind: 'pod', id: pod }, nodeSubject(site, server), serverSubject(site, server)],
    },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            for (const place of podsOn(state, server).slice(0, 3)) movePod(state, place, 'preempted', { by: pod });
          },
        ],
        [at_s + 4, (state) => state.note('stranger_started', { kind: 'pod', id: pod }, { server })],
      ],
    }),
  };
};

const noisyNeighbour: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = servingServer(aim);
  const pod = `${chance.pick(strangers)}-${chance.hex(5)}`;
  const [stolen, seconds] = [chance.between(0.4, 0.93), chance.spread(120, 1200)];
  return {
    family: 'noisy_neighbour',
    story: `${pod} uses ${Math.round(stolen * 100)} % of the processors of ${site.servers[server]!.name} for ${minutes(seconds)}`,
    from_s: at_s,
    truth: {
      root: { kind: 'pod', id: `batch/${pod}` },
      same: [{ kind: 'pod', id: pod }, nodeSubject(site, server), serverSubject(site, server)],
    },
    start: played({
      once: [
        [at_s, (state) => state.note('stranger_started', { kind: 'pod', id: pod }, { server })],
        [
          at_s + seconds,
          (state) => {
            state.servers[server]!.stolen = 0;
          },
        ],
      ],
      during: [
        [
          at_s,
          at_s + seconds,
          (state) => {
            state.servers[server]!.stolen = stolen;
          },
        ],
      ],
    }),
  };
};

const oom: Maker = ({ site, chance, at_s }) => {
  const service = chance.whole(0, site.services.length - 1);
  const { name, rate } = site.services[service]!;
  const leak = chance.between(0.002, 0.02) / Math.max(1, rate / 10);
  return {
    family: 'oom',
    story: `${name} leaks memory until its containers are killed`,
    from_s: at_s,
    truth: { service: name },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.services[service]!.leak = leak;
          },
        ],
      ],
    }),
  };
};

const badDeploy: Maker = ({ site, chance, at_s }) => {
  const service = chance.whole(0, site.services.length - 1);
  const { name } = site.services[service]!;
  const slow = chance.is(0.6);
  const [work, faulty] = slow ? [chance.spread(1.6, 6), 0] : [1, chance.spread(0.04, 0.6)];
  const back_s = at_s + chance.spread(240, 1500);
  const deploy = (version: number, change: readonly [number, number]) => (state: State) => {
    const now = state.services[service]!;
    [now.work, now.faulty] = change;
    now.version = version;
    state.note('deployed', { kind: 'service', id: name }, { values: { version } });
  };
  return {
    family: 'bad_deploy',
    story: `version 2 of ${name} ${slow ? `takes ${work.toFixed(1)} times as long` : `fails ${Math.round(faulty * 100)} % of its requests`}`,
    from_s: at_s,
    truth: { service: name },
    start: played({
      once: [
        [at_s, deploy(2, [work, faulty])],
        [back_s, deploy(1, [1, 0])],
      ],
    }),
  };
};

const slowDependency: Maker = ({ site, chance, at_s }) => {
  const called = site.services.flatMap(({ calls }) => calls);
  if (called.length === 0) return undefined;
  const service = chance.pick(called);
  const { name } = site.services[service]!;
  const [work, seconds] = [chance.spread(2, 10), chance.spread(90, 900)];
  return {
    family: 'slow_dependency',
    story: `${name} takes ${work.toFixed(1)} times as long for ${minutes(seconds)}: a lock, a bad plan`,
    from_s: at_s,
    truth: { service: name },
    start: played({
      once: [
        [
          at_s + seconds,
          (state) => {
            state.services[service]!.work = 1;
          },
        ],
      ],
      during: [
        [
          at_s,
          at_s + seconds,
          (state) => {
            state.services[service]!.work = work;
          },
        ],
      ],
    }),
  };
};

const trafficSurge: Maker = ({ site, chance, at_s }) => {
  const entries = site.services.flatMap(({ rate }, i) => (rate > 0 ? [i] : []));
  const service = chance.pick(entries);
  const [demand, ramp_s, seconds] = [chance.spread(1.5, 5), chance.between(10, 180), chance.spread(180, 1200)];
  const { name } = site.services[service]!;
  return {
    family: 'traffic_surge',
    story: `${demand.toFixed(1)} times as many requests for ${name}, for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { service: name },
    start: played({
      during: [
        [
          at_s,
          at_s + seconds,
          (state) => {
            state.services[service]!.demand = 1 + (demand - 1) * Math.min(1, (state.at_s - at_s) / ramp_s);
          },
        ],
        [
          at_s + seconds,
          Number.POSITIVE_INFINITY,
          (state) => {
            state.services[service]!.demand = 1;
          },
        ],
      ],
    }),
  };
};

const slowLoader: Maker = ({ site, chance, at_s }) => {
  if (site.jobs.length === 0) return undefined;
  const job = chance.whole(0, site.jobs.length - 1);
  const { name, compute_s, exchange_s } = site.jobs[job]!;
  const share = chance.between(1.2, 4);
  return {
    family: 'slow_loader',
    story: `the data of ${name} from here on needs ${share.toFixed(1)} times as long to prepare as a step takes`,
    from_s: at_s,
    truth: { service: name },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.jobs[job]!.slow_loader_s = share * (compute_s + exchange_s);
          },
        ],
      ],
    }),
  };
};

export const workFaults: readonly Maker[] = [
  storage('storage_stall'),
  storage('disk_failure'),
  storage('slow_checkpoint'),
  congestion,
  nodeEviction,
  preemption,
  noisyNeighbour,
  oom,
  badDeploy,
  slowDependency,
  trafficSurge,
  slowLoader,
];
