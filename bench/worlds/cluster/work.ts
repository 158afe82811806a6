import type { Chance } from './chance.ts';
import type { Job, Replica, Server, Service } from './site.ts';

interface Ground {
  readonly chance: Chance;
  readonly servers: readonly Server[];
  readonly stores: number;
}

/** The services of a site: what clients call, what that calls, and what computes on GPUs; callees before callers. */
const trees = [
  ['gateway', 'ranker', 'embedder', 'llm'],
  ['chat-api', 'retriever', 'llm'],
  ['frontend', 'recommender', 'features', 'profile'],
  ['vision-api', 'detector'],
  ['speech-api', 'asr', 'tts', 'sessions'],
] as const;
const onGpus = new Set(['llm', 'embedder', 'detector', 'asr', 'tts', 'recommender']);
/** A site can have several trees; that many machines of a large one serve requests. */
const MOST_SERVING = 24;

export function placeServices(ground: Ground): Service[] {
  const { chance, servers } = ground;
  const serving = servers.slice(0, Math.min(MOST_SERVING, Math.ceil(servers.length * chance.between(0.4, 0.8))));
  const count = servers.length >= 7 && chance.is(0.5) ? 2 : 1;
  const start = chance.whole(0, trees.length - 1);
  const services: Service[] = [];
  for (let k = 0; k < count; k++) {
    const names = trees[(start + k) % trees.length]!.map((name) => (k === 0 ? name : `${name}-${k + 1}`)).toReversed();
    const first = services.length;
    const calls = names.map((_, i) => (i === 0 ? [] : callsOf(chance, first, i, i === names.length - 1)));
    const outside = chance.spread(6, 60);
    const rates = names.map((_, i) => (i === names.length - 1 ? outside : 0));
    for (let i = names.length - 1; i >= 0; i--) for (const callee of calls[i]!) rates[callee - first]! += rates[i]!;
    names.forEach((name, i) => {
      const entry = i === names.length - 1;
      const part = { name, rate: rates[i]!, entry, calls: calls[i]!, known: services };
      services.push(serviceOf({ ...ground, servers: serving }, part));
    });
  }
  return services;
}

/** The entry reaches all others, directly or through the one before it. */
const callsOf = (chance: Chance, first: number, i: number, entry: boolean): number[] =>
  Array.from({ length: i }, (_, k) => first + k).filter(
    (callee) => callee === first + i - 1 || (entry && chance.is(0.4)),
  );

interface Part {
  readonly name: string;
  readonly rate: number;
  readonly entry: boolean;
  readonly calls: readonly number[];
  readonly known: readonly Service[];
}

/** Milliseconds of a request without any queue. */
const plain_ms = ({ work_ms, calls }: Pick<Service, 'work_ms' | 'calls'>, known: readonly Service[]): number =>
  work_ms + calls.reduce((sum, callee) => sum + plain_ms(known[callee]!, known), 0);

function serviceOf({ chance, servers, stores }: Ground, { name, rate, entry, calls, known }: Part): Service {
  const gpu = onGpus.has(name.replace(/-\d$/, '')) && servers[0]!.gpus.length > 0;
  const work_ms = gpu ? chance.spread(25, 400) : chance.spread(2, 20);
  // Busy to between a quarter and three quarters: most teams have that much headroom.
  const wanted = chance.between(0.25, 0.72);
  const replicas = Math.max(1, Math.min(servers.length, chance.whole(2, 6)));
  const hash = chance.hex(9);
  const home = chance.whole(0, servers.length - 1);
  const places = Array.from({ length: replicas }, (_, k): Replica => {
    const server = (home + k) % servers.length;
    const gpus = gpu ? [chance.whole(0, servers[0]!.gpus.length - 1)] : [];
    return { pod: `${name}-${hash}-${chance.hex(5)}`, server, gpus };
  });
  const held_ms = plain_ms({ work_ms, calls }, known) + 6;
  const timeout_ms = chance.pick([3000, 10_000, 30_000]);
  return {
    name,
    replicas: places,
    work_ms,
    // Who only waits for others has places to spare.
    slots: Math.max(gpu ? 1 : 8, Math.ceil((rate * held_ms * (gpu ? 1 : 2)) / 1000 / replicas / wanted)),
    calls,
    store: chance.is(entry ? 0.1 : 0.35) ? chance.whole(0, stores - 1) : null,
    store_gbps: chance.between(0.1, 2),
    start_s: gpu ? chance.between(40, 150) : chance.between(4, 15),
    timeout_ms: Math.max(timeout_ms, 6 * held_ms),
    rate: entry ? rate : 0,
  };
}

const jobNames = ['pretrain-7b', 'finetune-70b', 'rlhf', 'pretrain-moe', 'diffusion-xl'];

/** Training jobs run on machines of their own where there are enough, else beside the services. */
export function placeJobs({ chance, servers, stores }: Ground, services: readonly Service[]): Job[] {
  if (servers[0]!.gpus.length === 0) return [];
  const taken = new Set(services.flatMap(({ replicas }) => replicas.map(({ server }) => server)));
  const free = servers.map((_, i) => i).filter((i) => !taken.has(i));
  const jobs: Job[] = [];
  const count = free.length === 0 ? 0 : free.length > 8 && chance.is(0.4) ? 2 : chance.is(0.8) ? 1 : 0;
  const first = chance.whole(0, jobNames.length - 1);
  for (let k = 0; k < count; k++) {
    const size = Math.min(16, Math.floor(free.length / count));
    const machines = free.splice(0, size);
    const name = jobNames[(first + k) % jobNames.length]!;
    const all = servers[0]!.gpus.map(({ index }) => index);
    jobs.push({
      name,
      ranks: machines.map((server, i) => ({ pod: `${name}-worker-${i}`, server, gpus: all })),
      compute_s: chance.spread(1.5, 8),
      exchange_s: chance.spread(0.1, 1.5),
      load_s: chance.spread(0.05, 0.3),
      store: chance.is(0.9) ? chance.whole(0, stores - 1) : null,
      checkpoint_every_s: chance.whole(6, 15) * 60,
      checkpoint_gb: chance.spread(10, 60),
      timeout_s: chance.pick([120, 300, 600, 600]),
      restart_s: chance.between(60, 240),
    });
  }
  return jobs;
}
