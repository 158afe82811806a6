import { STEP_S } from './constants.ts';
import { exchangeFactor } from './network.ts';
import type { Job } from './site.ts';
import type { JobState, State } from './state.ts';

/** Seconds after which a broken connection ends a collective: retries of the transport are used up. */
const TRANSPORT_GIVES_UP_S = 45;

/** Training: every step needs every rank, so it is as fast as the slowest, and stops with the first that stops. */
export function stepTraining(state: State): void {
  for (const [i, built] of state.site.jobs.entries()) stepJob(state, built, state.jobs[i]!);
}

function stepJob(state: State, built: Job, job: JobState): void {
  const away = built.ranks.filter(({ server }) => !state.reachable(server)).length;
  const lost = built.ranks.some(({ server, gpus }) => gpus.some((k) => state.servers[server]!.gpus[k]!.lost));
  if (job.killed) return waitForRestart(state, built, job, away > 0 || lost);
  if (lost) return fail(state, built, job, 'cuda');
  if (away > 0) {
    job.stalled_s += STEP_S;
    load(state, built, 0.08, 1);
    const most = Math.min(built.timeout_s, TRANSPORT_GIVES_UP_S * 1.5);
    if (job.stalled_s > most) fail(state, built, job, 'timeout');
    return;
  }
  job.stalled_s = 0;
  if (job.saving_gb > 0) return save(state, built, job);
  const { compute_s, exchange_s, load_s } = paceOf(state, built, job);
  const total_s = compute_s + exchange_s + load_s;
  load(state, built, (0.97 * compute_s) / total_s, 0.99);
  if (built.store !== null) state.stores[built.store]!.demand_gbps += 0.06 * built.ranks.length;
  job.progress += STEP_S / total_s;
  job.load_took_s += (load_s / total_s) * STEP_S;
  if (job.progress >= 1) endStep(state, built, job);
}

function paceOf(state: State, built: Job, job: JobState) {
  let [clock, lanes, exchange] = [1, 1, 1];
  for (const { server, gpus } of built.ranks) {
    exchange = Math.max(exchange, exchangeFactor(state, server));
    for (const k of gpus) {
      clock = Math.min(clock, state.servers[server]!.gpus[k]!.clock);
      lanes = Math.min(lanes, state.servers[server]!.gpus[k]!.lanes);
    }
  }
  const stolen = Math.max(...built.ranks.map(({ server }) => state.servers[server]!.stolen));
  const compute_s = built.compute_s * (0.2 + 0.8 / clock);
  const exchange_s = (built.exchange_s * exchange * job.slow_exchange) / lanes;
  const wait =
    built.store === null ? 1 : state.stores[built.store]!.wait_ms / (2 * state.site.stores[built.store]!.base_ms);
  const needed = (built.load_s * Math.max(1, wait)) / Math.max(0.1, 1 - stolen) + job.slow_loader_s;
  // Loaders work ahead: only what is longer than the step itself is waited for.
  const load_s = Math.max(0.02, needed - 0.9 * (compute_s + exchange_s));
  return { compute_s, exchange_s, load_s };
}

function endStep(state: State, built: Job, job: JobState): void {
  const to_s = state.at_s;
  job.steps.push({ number: job.number++, from_s: job.begun_s, to_s, load_s: job.load_took_s, save_s: job.save_took_s });
  job.progress = 0;
  job.begun_s = to_s;
  job.load_took_s = 0;
  job.save_took_s = 0;
  if (to_s - job.saved_s > built.checkpoint_every_s && built.store !== null) {
    job.saving_gb = built.checkpoint_gb;
    job.saved_s = to_s;
  }
}

/** All ranks wait until the checkpoint is written; a store that others read from too gives it half of what is left. */
function save(state: State, built: Job, job: JobState): void {
  load(state, built, 0.03, 0.05);
  const [store, { gbps }] = [state.stores[built.store!]!, state.site.stores[built.store!]!];
  const got_gbps = Math.max(0, 0.6 * gbps * store.factor);
  store.demand_gbps += Math.min(got_gbps, gbps * 0.6);
  job.saving_gb -= (got_gbps / 8) * STEP_S;
  job.save_took_s += STEP_S;
}

function load(state: State, built: Job, util: number, shown: number): void {
  for (const { server, gpus } of built.ranks)
    for (const k of gpus) {
      const gpu = state.servers[server]!.gpus[k]!;
      gpu.util = util;
      gpu.shown = shown;
    }
}

/** One rank ends, the launcher ends the others. */
export function fail(state: State, built: Job, job: JobState, why: string): void {
  if (job.killed) return;
  job.killed = true;
  job.restart_s = built.restart_s;
  job.stalled_s = 0;
  job.saving_gb = 0;
  state.note('job_failed', { kind: 'job', id: built.name }, { server: built.ranks[0]!.server, values: { why } });
}

function waitForRestart(state: State, built: Job, job: JobState, impossible: boolean): void {
  load(state, built, 0, 0);
  job.restart_s -= STEP_S;
  if (job.restart_s > 0 || impossible) return;
  job.killed = false;
  job.begun_s = state.at_s;
  job.progress = 0;
  state.note('job_started', { kind: 'job', id: built.name }, { server: built.ranks[0]!.server });
}
