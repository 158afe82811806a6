import type { Chance } from './chance.ts';
import type { Machine, Site } from './site.ts';

/** A call that a request makes on its way. */
export interface CallPlan {
  readonly to: string;
  /** Of the requests that make it. */
  readonly share: number;
  /** It is only made where a cache does not have the answer. */
  readonly behind?: string;
  readonly timeout_s: number;
  readonly retries: number;
  readonly breaks: boolean;
}

export interface ServicePlan {
  readonly name: string;
  readonly kind: 'web' | 'cache' | 'database' | 'inference' | 'remote';
  readonly hosts: readonly Machine[];
  /** Of its own work, s. */
  readonly work_s: number;
  /** Requests at once in one replica. */
  readonly places: number;
  readonly calls: readonly CallPlan[];
  readonly inParallel: boolean;
  /** Requests per second from outside. */
  readonly rate: number;
  readonly scales: boolean;
  /** Reads files of the parallel file system with each request. */
  readonly readsFiles: boolean;
  readonly tells: 'spans' | 'histogram' | 'access log';
  /** Of its requests that a trace is kept of. */
  readonly sampled: number;
}

export interface JobPlan {
  readonly name: string;
  readonly id: number;
  readonly machines: readonly Machine[];
  readonly step_s: number;
  /** Share of a step in which ranks exchange, and in which they wait for data. */
  readonly exchange: number;
  readonly loading: number;
  /** Steps between checkpoints. */
  readonly checkpoint: number;
  readonly timeout_s: number;
  readonly requeues: boolean;
  readonly tells: 'spans' | 'histogram' | 'access log';
}

type Base = Omit<Site, 'services' | 'jobs' | 'spare'>;
type Work = Pick<Site, 'services' | 'jobs' | 'spare'>;

const FRONTS = ['gateway', 'portal', 'edge-api', 'chat-frontend'];
const MIDDLES = ['session', 'catalog', 'billing', 'quota', 'search', 'prompt-builder', 'moderation', 'ranker', 'files'];
const MODELS = ['llm-70b', 'llm-8b', 'embedder'];
const JOBS = ['pretrain-moe', 'finetune-sft', 'rlhf-actor', 'vision-ssl', 'climate-net'];

export function planWork(site: Base, chance: Chance): Work {
  const cpus = site.machines.filter(({ role }) => role === 'cpu');
  const gpus = site.machines.filter(({ gpus: count }) => count > 0);
  const free = [...gpus];
  const models = planModels(site, chance, free);
  const jobs = planJobs(site, chance, free);
  const hosts = cpus.length > 0 ? cpus : site.machines;
  const services = planWeb(site, chance, hosts, models);
  return { services: [...services, ...models], jobs, spare: free };
}

function telling(chance: Chance): Pick<ServicePlan, 'tells' | 'sampled'> {
  const tells = chance.pick(['spans', 'spans', 'spans', 'histogram', 'access log'] as const);
  return { tells, sampled: chance.pick([1, 1, 0.3, 0.1]) };
}

function planModels(site: Base, chance: Chance, free: Machine[]): ServicePlan[] {
  const count = free.length === 0 ? 0 : site.isHpc ? chance.whole(0, 1) : Math.min(free.length, chance.whole(1, 2));
  return chance.some(MODELS, count).map((name) => {
    const most = site.isHpc ? 3 : 6;
    const hosts = free.splice(0, Math.max(1, Math.min(most, Math.floor(free.length / (count + 1)) + 1)));
    return {
      name,
      kind: 'inference',
      hosts,
      work_s: chance.between(0.018, 0.045),
      places: chance.whole(16, 48),
      calls: [],
      inParallel: false,
      rate: 0,
      scales: false,
      readsFiles: false,
      ...telling(chance),
    } as const;
  });
}

const plain = { inParallel: false, rate: 0, scales: false, readsFiles: false } as const;

/** Layers of services: a front, some in the middle with caches, a database, perhaps something outside of the site. */
function planWeb(site: Base, chance: Chance, hosts: readonly Machine[], models: readonly ServicePlan[]): ServicePlan[] {
  const middles = chance.some(MIDDLES, chance.whole(2, site.machines.length < 4 ? 3 : 6));
  const replicas = (count: number) =>
    Array.from({ length: count }, (_, i) => hosts[(chance.whole(0, 3) + i) % hosts.length]!);
  const ends = planEnds(chance, replicas);
  const hasCache = ends.some(({ kind }) => kind === 'cache');
  const hasRemote = ends.some(({ kind }) => kind === 'remote');
  const inner = middles.map((name, i): ServicePlan => {
    const cache = hasCache && chance.is(0.6) ? 'redis' : undefined;
    const calls = [planCall(chance, 'postgres', chance.between(0.5, 1), cache)];
    const next = middles[i + 1 + chance.whole(0, 2)];
    if (next && chance.is(0.6)) calls.push(planCall(chance, next, chance.between(0.4, 1)));
    if (hasRemote && chance.is(0.3)) calls.push(planCall(chance, 'identity-provider', chance.between(0.3, 1)));
    return {
      ...plain,
      name,
      kind: 'web',
      hosts: replicas(chance.whole(1, 4)),
      work_s: chance.between(0.006, 0.05),
      places: chance.whole(2, 12),
      calls,
      inParallel: chance.is(0.3),
      scales: chance.is(0.3),
      readsFiles: site.stores.length > 0 && (name === 'files' || chance.is(0.15)),
      ...telling(chance),
    };
  });
  const called = new Set(inner.flatMap(({ calls }) => calls.map(({ to }) => to)));
  const tops = middles.filter((name) => !called.has(name));
  const front: ServicePlan = {
    ...plain,
    name: chance.pick(FRONTS),
    kind: 'web',
    hosts: replicas(chance.whole(1, 3)),
    work_s: chance.between(0.003, 0.015),
    places: chance.whole(60, 200),
    calls: [
      ...tops.map((name) => planCall(chance, name, chance.between(0.5, 1))),
      ...models.map(({ name }) => ({
        ...planCall(chance, name, chance.between(0.2, 0.6)),
        timeout_s: chance.between(30, 60),
      })),
    ],
    rate: chance.between(2, 6),
    inParallel: chance.is(0.3),
    ...telling(chance),
  };
  return [front, ...inner, ...ends];
}

function planCall(chance: Chance, to: string, share: number, behind?: string): CallPlan {
  return {
    to,
    share,
    ...(behind === undefined ? {} : { behind }),
    timeout_s: chance.pick([0.8, 1.5, 3, 10]),
    retries: chance.pick([0, 1, 2, 3]),
    breaks: chance.is(0.4),
  };
}

/** What calls nobody else: a database, most times a cache, sometimes a service of somebody else. */
function planEnds(chance: Chance, replicas: (count: number) => readonly Machine[]): ServicePlan[] {
  const ends: ServicePlan[] = [
    {
      ...plain,
      name: 'postgres',
      kind: 'database',
      hosts: replicas(1),
      work_s: chance.between(0.004, 0.02),
      places: chance.whole(8, 24),
      calls: [],
      ...telling(chance),
    },
  ];
  const more = { ...plain, calls: [] } as const;
  if (chance.is(0.7))
    ends.push({
      ...more,
      name: 'redis',
      kind: 'cache',
      hosts: replicas(1),
      work_s: 0.001,
      places: 64,
      ...telling(chance),
    });
  if (chance.is(0.4)) {
    const work_s = chance.between(0.03, 0.09);
    ends.push({
      ...more,
      name: 'identity-provider',
      kind: 'remote',
      hosts: [],
      work_s,
      places: 500,
      ...telling(chance),
    });
  }
  return ends;
}

function planJobs(site: Base, chance: Chance, free: Machine[]): JobPlan[] {
  const count = Math.min(free.length, site.isHpc ? chance.whole(1, 4) : chance.is(0.3) ? 1 : 0);
  return chance.some(JOBS, count).map((name, i) => {
    const share = Math.max(1, Math.floor((free.length / (count - i)) * chance.between(0.5, 0.95)));
    return {
      name,
      id: 41_000 + chance.whole(0, 8000),
      machines: free.splice(0, share),
      step_s: chance.between(1.5, 7),
      exchange: chance.between(0.15, 0.4),
      loading: chance.between(0.05, 0.2),
      checkpoint: chance.whole(60, 200),
      timeout_s: chance.pick([120, 300, 600]),
      requeues: chance.is(0.7),
      tells: chance.pick(['spans', 'histogram', 'access log'] as const),
    };
  });
}
