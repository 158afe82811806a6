import { NODE_GRACE_S, PROBE_S, PROBES, STEP_S } from './constants.ts';
import type { ReplicaState, State } from './state.ts';

/** Seconds that kubelet waits before it starts a container again; doubled each time, five minutes at most. */
const BACK_OFF_S = 10;

/** Seconds until an ended container gets no more requests. */
const ENDED_S = 2;

export interface Place {
  readonly service: number;
  readonly replica: number;
}

/** Ends a container; it starts again by itself where its machine and GPU allow. */
export function endPod(
  state: State,
  { service, replica }: Place,
  why: string,
  values: Record<string, string | number> = {},
): void {
  const pod = state.services[service]!.replicas[replica]!;
  if (!pod.up) return;
  pod.up = false;
  pod.restarts++;
  pod.memory = 0.4;
  // kubelet sees a container end and takes it out of the endpoints; of a machine that is gone only probes show it.
  pod.failing_s = Math.max(pod.failing_s, PROBES * PROBE_S - ENDED_S);
  const backOff = Math.min(300, BACK_OFF_S * 2 ** (pod.restarts - 1));
  pod.ready_s = state.at_s + backOff + state.site.services[service]!.start_s;
  state.note('pod_ended', { kind: 'pod', id: pod.pod }, { server: pod.server, values: { why, ...values } });
}

/** Another machine takes the pod over, under a new name. */
export function movePod(state: State, place: Place, why: string, values: Record<string, string | number> = {}): void {
  const { replicas } = state.services[place.service]!;
  const pod = replicas[place.replica]!;
  endPod(state, place, why, values);
  const machines = [...new Set(state.services.flatMap((service) => service.replicas.map(({ server }) => server)))];
  const others = machines.filter((server) => server !== pod.server && state.reachable(server));
  if (others.length > 0) pod.server = others[(place.replica + place.service) % others.length]!;
  pod.pod = `${pod.pod.replace(/-\w{5}$/, '')}-${((state.site.seed * 7919 + pod.restarts * 31 + place.replica) >>> 0).toString(36).padStart(5, 'x').slice(-5)}`;
  pod.ready_s = state.at_s + 8 + state.site.services[place.service]!.start_s;
  state.note('pod_scheduled', { kind: 'pod', id: pod.pod }, { server: pod.server });
}

/** Machines and containers as the control plane and the load balancers see them. */
export function stepPods(state: State, working: readonly number[]): void {
  for (const i of working) stepNode(state, i);
  for (const [service, { replicas }] of state.services.entries())
    for (const [replica, pod] of replicas.entries()) stepPod(state, { service, replica }, pod);
}

function stepNode(state: State, i: number): void {
  const server = state.servers[i]!;
  server.crashed_s = Math.max(0, server.crashed_s - STEP_S);
  const away = !state.reachable(i);
  server.away_s = away ? server.away_s + STEP_S : 0;
  if (server.ready && server.away_s > NODE_GRACE_S) {
    server.ready = false;
    state.note('node_not_ready', { kind: 'node', id: state.site.servers[i]!.name }, { server: i });
  } else if (!server.ready && !away) {
    server.ready = true;
    state.note('node_ready', { kind: 'node', id: state.site.servers[i]!.name }, { server: i });
  }
}

function stepPod(state: State, place: Place, pod: ReplicaState): void {
  const { on, crashed_s, gpus } = state.servers[pod.server]!;
  const needs = state.site.services[place.service]!.replicas[place.replica]!.gpus;
  if (pod.up && (!on || crashed_s > 0)) {
    pod.up = false;
    pod.ready_s = Number.POSITIVE_INFINITY;
  } else if (!pod.up && pod.ready_s === Number.POSITIVE_INFINITY && on && crashed_s <= 0)
    pod.ready_s = state.at_s + 12 + state.site.services[place.service]!.start_s;
  const missing = needs.some((k) => gpus[k]!.lost);
  if (pod.up && missing) endPod(state, place, 'cuda');
  if (!pod.up && pod.ready_s <= state.at_s) {
    if (missing) pod.ready_s = state.at_s + Math.min(300, BACK_OFF_S * 2 ** ++pod.restarts);
    else pod.up = true;
    const what = missing ? 'pod_backs_off' : 'pod_started';
    state.note(what, { kind: 'pod', id: pod.pod }, { server: pod.server });
  }
  const serving = pod.up && state.reachable(pod.server);
  const before = pod.failing_s;
  pod.failing_s = serving ? 0 : pod.failing_s + STEP_S;
  if (before < PROBE_S && pod.failing_s >= PROBE_S && on && crashed_s <= 0)
    state.note('pod_unhealthy', { kind: 'pod', id: pod.pod }, { server: pod.server });
  pod.balanced = pod.failing_s < PROBES * PROBE_S;
}
