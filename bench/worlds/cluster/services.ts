import { noiseAt } from './chance.ts';
import { STEP_S } from './constants.ts';
import { wayTo } from './network.ts';
import { endPod } from './pods.ts';
import type { Service } from './site.ts';
import type { ReplicaState, ServiceState, State } from './state.ts';

/** Share of a GPU service's work that is spent on the processor, and of the rest that does not depend on the clock (memory). */
const ON_CPU = 0.15;
const BY_MEMORY = 0.35;
const NORMAL_ERRORS = 0.0005;

/**
 * Requests: how many arrive at each service, from the entry down; then how long they take, from the callees up, since a
 * request holds its place in a replica while it waits for what it calls.
 */
export function stepServices(state: State): void {
  const { services } = state.site;
  for (let i = services.length - 1; i >= 0; i--) arrive(state, i);
  for (let i = 0; i < services.length; i++) serve(state, i);
  busy(state);
}

function arrive(state: State, i: number): void {
  const [now, built] = [state.services[i]!, state.site.services[i]!];
  const { seed } = state.site;
  now.rate = built.rate * now.demand * (1 + 0.12 * Math.sin((2 * Math.PI * (state.at_s + seed * 61)) / 5400));
  now.rate *= 1 + 0.06 * noiseAt(seed, i, Math.floor(state.at_s));
  state.site.services.forEach(({ calls }, caller) => {
    const { rate, errors } = state.services[caller]!;
    if (calls.includes(i)) now.rate += rate * (1 - 0.5 * errors);
  });
}

function serve(state: State, i: number): void {
  const [now, built] = [state.services[i]!, state.site.services[i]!];
  const targets = now.replicas.some(({ balanced }) => balanced)
    ? now.replicas.filter(({ balanced }) => balanced)
    : now.replicas;
  let called_ms = 0;
  let passed = 1;
  for (const callee of built.calls) {
    called_ms += state.services[callee]!.total_ms;
    passed *= 1 - state.services[callee]!.errors;
  }
  let [own, errors, answered] = [0, 0, 0];
  now.replicas.forEach((replica, r) => {
    const share = targets.includes(replica) ? 1 / targets.length : 0;
    replica.rate = now.rate * share;
    answerAt(state, { now, built, replica, gpus: built.replicas[r]!.gpus, called_ms });
    if (replica.memory > 1) {
      state.note('oom', { kind: 'pod', id: replica.pod }, { server: replica.server, values: { service: built.name } });
      endPod(state, { service: i, replica: r }, 'oom');
    }
    errors += share * replica.errors;
    own += share * (1 - replica.errors) * replica.own_ms;
    answered += share * (1 - replica.errors);
  });
  if (answered > 0.02) now.total_ms = Math.min(built.timeout_ms, own / answered + called_ms);
  else now.total_ms = Math.min(built.timeout_ms, 20);
  now.errors = 1 - (1 - errors) * passed;
  if (built.store !== null) state.stores[built.store]!.demand_gbps += built.store_gbps;
}

interface Answering {
  readonly now: ServiceState;
  readonly built: Service;
  readonly replica: ReplicaState;
  readonly gpus: readonly number[];
  readonly called_ms: number;
}

function answerAt(state: State, { now, built, replica, gpus, called_ms }: Answering): void {
  if (!replica.up || !state.reachable(replica.server)) {
    replica.errors = 1;
    replica.queue = 0;
    return;
  }
  const server = state.servers[replica.server]!;
  const processor = 1 / (server.cpu_clock * Math.max(0.08, 1 - server.stolen));
  let slower = processor;
  if (gpus.length > 0) {
    const clock = Math.min(...gpus.map((k) => server.gpus[k]!.clock));
    slower = ON_CPU * processor + (1 - ON_CPU) * (BY_MEMORY + (1 - BY_MEMORY) / clock);
  }
  const stored = built.store === null ? 0 : state.stores[built.store]!.wait_ms;
  const own_ms = built.work_ms * now.work * slower + stored + wayTo(state, replica.server);
  const held_ms = own_ms + called_ms;
  const capacity = (1000 * built.slots) / held_ms;
  const load = replica.rate / capacity;
  replica.queue = Math.max(0, replica.queue + (replica.rate - capacity) * STEP_S);
  // Whoever would wait longer than the timeout gives up.
  const most = (capacity * built.timeout_ms) / 1000;
  const shed = replica.queue > most ? 1 - 1 / Math.max(1, load) : 0;
  replica.queue = Math.min(replica.queue, most);
  replica.own_ms = own_ms + waiting(Math.min(0.97, load), built.slots, held_ms) + (1000 * replica.queue) / capacity;
  const late = replica.own_ms + called_ms > built.timeout_ms ? 0.6 : 0;
  replica.errors = 1 - (1 - NORMAL_ERRORS) * (1 - now.faulty) * (1 - Math.max(shed, late));
  replica.memory += now.leak * replica.rate * STEP_S;
}

/** Mean wait in a queue with several servers (Sakasegawa 1977), Poisson arrivals, service times that vary as much. */
const waiting = (load: number, slots: number, held_ms: number): number =>
  (load ** (Math.sqrt(2 * (slots + 1)) - 1) / (slots * (1 - load))) * held_ms;

/** What the work of this step makes of processors and GPUs. */
function busy(state: State): void {
  for (const server of state.servers) if (server.gpus.length === 0) server.cpu = 0.15 + server.stolen;
  state.services.forEach((now, i) => {
    const built = state.site.services[i]!;
    now.replicas.forEach((replica, r) => {
      const server = state.servers[replica.server]!;
      const share = replica.up ? Math.min(1, (replica.rate * built.work_ms * now.work) / 1000 / built.slots) : 0;
      for (const k of built.replicas[r]!.gpus) {
        const gpu = server.gpus[k]!;
        gpu.util = share;
        gpu.shown = share;
      }
      if (server.gpus.length === 0) server.cpu = Math.min(1, server.cpu + share / 2);
    });
  });
}
