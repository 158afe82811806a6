import type { Chance } from './chance.ts';
import { EDGE_RACK, type Machine, type Needs, pad, ref, type Service } from './site.ts';

const names = [
  'chat-api',
  'llama-70b',
  'embeddings',
  'reranker',
  'speech-to-text',
  'vision-caption',
  'code-complete',
  'translate',
  'moderation',
  'search',
] as const;

/** Online services in a shallow call graph, training jobs over many machines with the storage they write to. */
export function placeServices(chance: Chance, machines: readonly Machine[], needs: Needs): Service[] {
  const inside = machines.filter(({ rack }) => rack !== EDGE_RACK);
  const trains = needs.training ?? chance.chance(0.4);
  const free = chance.some(inside, inside.length);
  const services: Service[] = [];
  if (trains) services.push(...trainingServices(chance, free));
  const wanted = chance.some(names, chance.whole(3, 5));
  for (const [i, name] of wanted.entries()) {
    // A machine may carry two services when there are more services than machines left.
    const on = free.length > 0 ? free.splice(0, chance.whole(1, 4)) : [chance.pick(inside)];
    const calls = services.filter((other) => other.form === 'online' && chance.chance(0.35)).slice(0, 2);
    services.push(
      online(chance, name, { machines: on, calls: calls.map((callee) => callee.name), called: i < wanted.length - 1 }),
    );
  }
  const site = machines.filter(({ rack }) => rack === EDGE_RACK);
  if (site.length > 0) services.push(online(chance, 'edge-vision', { machines: site, calls: [], called: false }));
  return services;
}

function online(
  chance: Chance,
  name: string,
  place: { readonly machines: readonly Machine[]; readonly calls: readonly string[]; readonly called: boolean },
): Service {
  const inPods = chance.chance(0.6);
  return {
    name,
    form: 'online',
    machines: place.machines,
    workers: inPods ? place.machines.map((_, i) => ref('pod', `inference/${name}-${chance.hex(5)}-${pad(i)}`)) : [],
    calls: place.calls,
    // Most see dozens of requests per second; a few large models see one or two.
    rate: chance.chance(0.15) ? chance.around(2.5, 0.4) : chance.around(45, 0.7),
    median_ms: chance.around(180, 0.9),
    sigma: chance.between(0.18, 0.45),
  };
}

/** A synchronous job of one rank per machine, and the storage on a machine of its own that it reads and writes. */
function trainingServices(chance: Chance, free: Machine[]): Service[] {
  const [storageMachine] = free.splice(0, 1);
  if (!storageMachine) return [];
  const name = `train-${chance.pick(['gpt', 'moe', 'vit', 'diffusion'])}-${chance.whole(1, 40)}b`;
  const on = free.splice(0, Math.min(chance.whole(3, 8), Math.max(2, free.length - 3)));
  const storage: Service = {
    name: 'checkpoint-store',
    form: 'storage',
    machines: [storageMachine],
    workers: [],
    calls: [],
    rate: chance.between(20, 60),
    median_ms: chance.around(12, 0.4),
    sigma: chance.between(0.3, 0.5),
  };
  const training: Service = {
    name,
    form: 'training',
    machines: on,
    workers: on.map((_, i) => ref('rank', `${name}/rank-${i * 8}`)),
    calls: [storage.name],
    rate: chance.between(40, 900),
    median_ms: chance.around(1400, 0.5),
    sigma: chance.between(0.03, 0.08),
  };
  return [storage, training];
}
