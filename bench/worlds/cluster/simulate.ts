import { noiseAt } from './chance.ts';
import { STEP_S } from './constants.ts';
import type { Fault } from './fault.ts';
import { stepHeat } from './heat.ts';
import { stepNetwork, stepStorage } from './network.ts';
import { stepPods } from './pods.ts';
import { stepPower } from './power.ts';
import { stepServices } from './services.ts';
import type { Site } from './site.ts';
import { type Happening, State, type Step } from './state.ts';
import { stepTraining } from './training.ts';

/** Seconds between the readings that recorders can take; they may take fewer. */
export const READING_S = 5;

/** One replica, a value per second. */
export interface ReplicaSeries {
  readonly pod: string[];
  readonly server: Uint16Array;
  readonly own_ms: Float32Array;
  readonly errors: Float32Array;
  readonly rate: Float32Array;
}

/** One service, a value per second: as its clients see it. */
export interface ServiceSeries {
  readonly rate: Float32Array;
  readonly total_ms: Float32Array;
  readonly errors: Float32Array;
  readonly replicas: readonly ReplicaSeries[];
}

/** One GPU, a value per READING_S. */
export interface GpuSeries {
  readonly server: number;
  readonly gpu: number;
  readonly celsius: Float32Array;
  readonly watts: Float32Array;
  readonly clock: Float32Array;
  readonly util: Float32Array;
  /** 1 thermal, 2 power limit, 4 power brake, 8 lost. */
  readonly flags: Uint8Array;
}

/** What happened in one run of a site. */
export interface Run {
  readonly site: Site;
  readonly journal: readonly Happening[];
  readonly services: readonly ServiceSeries[];
  readonly steps: readonly (readonly Step[])[];
  readonly gpus: readonly GpuSeries[];
  /** Watts per READING_S, and degrees at the inlets of the rows. */
  readonly pdus: readonly Float32Array[];
  readonly rows: readonly Float32Array[];
  /** Share of the processors in use, by machine, and of it what strangers use; offered load of the leaves' uplinks. */
  readonly cpus: ReadonlyMap<number, { readonly used: Float32Array; readonly stolen: Float32Array }>;
  readonly leaves: readonly Float32Array[];
}

/** Lets a site run with these faults; the same site and faults give the same run. */
export function simulate(site: Site, faults: readonly Fault[]): Run {
  const state = new State(site);
  const run = emptyRun(state);
  const working = workingOf(site);
  const steps = site.seconds / STEP_S;
  settle(state, working);
  const acts = faults.map(({ start }) => start());
  for (let step = 0; step < steps; step++) {
    state.at_s = step * STEP_S;
    stepFeeds(state);
    for (const act of acts) act(state);
    advance(state, working);
    if (step % (1 / STEP_S) === 0) keepSecond(state, run, state.at_s);
    if (step % (READING_S / STEP_S) === 0) keepReadings(state, run, state.at_s / READING_S);
  }
  return run;
}

function advance(state: State, working: readonly number[]): void {
  stepPower(state);
  stepHeat(state, working);
  stepNetwork(state);
  stepStorage(state);
  stepPods(state, working);
  stepServices(state);
  stepTraining(state);
}

/** Machines that serve or train: of all others only power and place matter. */
export function workingOf({ services, jobs }: Site): number[] {
  const replicas = [...services.flatMap((service) => service.replicas), ...jobs.flatMap(({ ranks }) => ranks)];
  return [...new Set(replicas.map(({ server }) => server))].sort((a, b) => a - b);
}

/** Until it is warm: a recording begins in the middle of a day. */
function settle(state: State, working: readonly number[]): void {
  state.servers.forEach((server, i) => {
    const { gpus, gpu_w, idle_w } = state.site.servers[i]!;
    server.load_w = idle_w + 100 + gpus.length * gpu_w * 0.7;
  });
  for (let at_s = -240; at_s < 0; at_s += STEP_S) {
    state.at_s = at_s;
    stepFeeds(state);
    advance(state, working);
  }
  state.journal.length = 0;
  for (const job of state.jobs) {
    job.steps.length = 0;
    job.begun_s = 0;
    job.progress = 0;
    // The last checkpoint was some time ago.
    job.saved_s = -(state.site.seed % 300);
  }
}

function stepFeeds(state: State): void {
  state.feeds.forEach((feed, i) => {
    feed.volts = 1 + 0.01 * noiseAt(state.site.seed, 900 + i, Math.floor(state.at_s / 5));
    feed.dip_ms = 0;
    feed.dip_volts = 1;
  });
}

function emptyRun(state: State): Run {
  const { site } = state;
  const seconds = () => new Float32Array(site.seconds);
  const readings = () => new Float32Array(Math.ceil(site.seconds / READING_S));
  return {
    site,
    journal: state.journal,
    services: site.services.map(({ replicas }) => ({
      rate: seconds(),
      total_ms: seconds(),
      errors: seconds(),
      replicas: replicas.map(() => ({
        pod: [],
        server: new Uint16Array(site.seconds),
        own_ms: seconds(),
        errors: seconds(),
        rate: seconds(),
      })),
    })),
    steps: state.jobs.map(({ steps }) => steps),
    gpus: workingOf(site).flatMap((server) =>
      site.servers[server]!.gpus.map(({ index }) => ({
        server,
        gpu: index,
        celsius: readings(),
        watts: readings(),
        clock: readings(),
        util: readings(),
        flags: new Uint8Array(readings().length),
      })),
    ),
    pdus: site.pdus.map(readings),
    rows: site.rows.map(readings),
    cpus: new Map(workingOf(site).map((server) => [server, { used: readings(), stolen: readings() }])),
    leaves: site.leaves.map(readings),
  };
}

function keepSecond(state: State, run: Run, at: number): void {
  state.services.forEach((service, i) => {
    const series = run.services[i]!;
    series.rate[at] = service.rate;
    series.total_ms[at] = service.total_ms;
    series.errors[at] = service.errors;
    service.replicas.forEach((replica, r) => {
      const own = series.replicas[r]!;
      own.pod[at] = replica.pod;
      own.server[at] = replica.server;
      own.own_ms[at] = replica.own_ms;
      own.errors[at] = replica.errors;
      own.rate[at] = replica.rate;
    });
  });
}

function keepReadings(state: State, run: Run, at: number): void {
  for (const { server, gpu, celsius, watts, clock, util, flags } of run.gpus) {
    const now = state.servers[server]!.gpus[gpu]!;
    celsius[at] = now.celsius;
    watts[at] = now.watts;
    clock[at] = now.clock;
    util[at] = now.shown;
    const { braked, on } = state.servers[server]!;
    flags[at] = (now.throttled ? 1 : 0) + (now.capped ? 2 : 0) + (braked ? 4 : 0) + (now.lost || !on ? 8 : 0);
  }
  state.pdus.forEach(({ load_w }, i) => {
    run.pdus[i]![at] = load_w;
  });
  for (const [i, { used, stolen }] of run.cpus) {
    const { cpu, gpus, stolen: taken, on, crashed_s } = state.servers[i]!;
    used[at] = on && crashed_s <= 0 ? Math.min(1, cpu + (gpus.length > 0 ? taken : 0)) : Number.NaN;
    stolen[at] = taken;
  }
  state.leaves.forEach(({ load, up }, i) => {
    run.leaves[i]![at] = up ? load : Number.NaN;
  });
  state.rows.forEach(({ inlet_c }, i) => {
    run.rows[i]![at] = inlet_c;
  });
}
