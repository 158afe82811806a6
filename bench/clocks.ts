import { defaultMechanisms, type Mechanisms, parseMechanisms } from '../src/core/analysis/causality/mechanisms.ts';
import type { ClockEstimate } from '../src/core/analysis/clocks/clock-estimate.ts';
import { estimateClocks } from '../src/core/analysis/clocks/estimate-clocks.ts';
import { quantile } from '../src/core/analysis/statistics.ts';
import {
  EventRecording,
  type Fleet,
  fleet,
  logUniform,
  normal,
  pick,
  randomFrom,
} from '../test/support/clock-world.ts';
import { alikeDelayLaw, anyDelayLaw, type DelayLaw, leastError, twinLaw } from './clock-floor.ts';
import { print } from './figures.ts';

const WORLDS = 200;
const HOUR_S = 3600;
/** An error that no delay explains: another shift was taken for the right one. */
const ASTRAY_S = 5;
const [STEADY, SHIFTED] = [1, 2];

type Random = () => number;
interface World {
  readonly name: string;
  /** Writes `pairs` linked pairs between the two sources. */
  readonly write: (recording: EventRecording, random: Random, pairs: number) => void;
  readonly digits?: number;
  readonly mechanisms?: Mechanisms;
  /** Of the delays of its pairs, where they are all that there is to go by. */
  readonly law?: DelayLaw;
}

const place: Fleet = fleet(4, 16);
const instant = (random: Random): number => 60 + random() * (HOUR_S - 120);

/** One event, recorded twice: recorders are late by tens of milliseconds. */
function twins(recording: EventRecording, random: Random, pairs: number): void {
  for (let i = 0; i < pairs; i++) {
    const [at, gpu] = [instant(random), pick(random, [...place.gpus.values()].flat())];
    recording.write(STEADY, at + 0.02 * random(), 'xid_error', gpu);
    recording.write(SHIFTED, at + 0.02 + 0.08 * random(), 'xid_error', gpu);
  }
}

/** Sags of a PDU and failovers of its servers; the delay of each pair is drawn from the mechanism's range. */
const sags =
  (delay: (random: Random) => () => number, perSag: number) =>
  (chronicle: EventRecording, random: Random, pairs: number): void => {
    const next = delay(random);
    for (let written = 0; written < pairs; ) {
      const at = instant(random);
      const pdu = Math.floor(random() * place.pdus.length);
      chronicle.write(STEADY, at, 'voltage_sag', place.pdus[pdu]!);
      for (const server of (place.servers[pdu] as number[]).slice(0, Math.min(perSag, pairs - written))) {
        chronicle.write(SHIFTED, at + next(), 'psu_failover', server);
        written++;
      }
    }
  };
const anyDelay = (random: Random) => () => logUniform(random, 0.05, 3);
/** A cluster's devices are alike: one typical delay, a fifth of scatter. */
const alikeDelay = (random: Random) => {
  const typical = logUniform(random, 0.08, 2);
  return () => typical * Math.exp(0.2 * normal(random));
};

/** As `sags`, and three other controllers whose clocks are right show how long the delay is here. */
function taught(chronicle: EventRecording, random: Random, pairs: number): void {
  const next = alikeDelay(random);
  for (let i = 0; i < pairs; i++) {
    const at = instant(random);
    const pdu = Math.floor(random() * place.pdus.length);
    const servers = place.servers[pdu] as number[];
    chronicle.write(STEADY, at, 'voltage_sag', place.pdus[pdu]!);
    chronicle.write(SHIFTED, at + next(), 'psu_failover', servers[0]!);
    for (const source of [3, 4, 5]) {
      chronicle.write(source, at + next(), 'psu_failover', servers[source]!);
      const [seen, gpu] = [instant(random), (place.gpus.get(servers[source]!) as number[])[0]!];
      chronicle.write(STEADY, seen + 0.02 * random(), 'xid_error', gpu);
      chronicle.write(source, seen + 0.08 * random(), 'xid_error', gpu);
    }
  }
}

/** The narrowest mechanisms one could write down: signals within one machine. */
const narrow = parseMechanisms(`
version: 2
harms: {}
silent: {}
roots: {}
mechanisms:
  - { cause: gpu_lost, effect: host_degradation, relation: above, delay_s: [0.02, 0.5], strength: 0.9, source: bench }
`);
function signals(chronicle: EventRecording, random: Random, pairs: number): void {
  for (let i = 0; i < pairs; i++) {
    const [at, server] = [instant(random), pick(random, place.allServers)];
    chronicle.write(STEADY, at, 'gpu_lost', pick(random, place.gpus.get(server) as number[]));
    chronicle.write(SHIFTED, at + logUniform(random, 0.02, 0.5), 'host_degradation', server);
  }
}

const worlds: readonly World[] = [
  { name: 'two recorders', write: twins, law: twinLaw(0.02, [0.02, 0.1]) },
  { name: 'two recorders, whole seconds', write: twins, digits: 1 },
  { name: 'a mechanism of 0.02 to 0.5 s', write: signals, mechanisms: narrow, law: anyDelayLaw(0.02, 0.5) },
  { name: 'sag > failover, any delay', write: sags(anyDelay, 1), law: anyDelayLaw(0.05, 3) },
  { name: 'sag > failover, alike delays', write: sags(alikeDelay, 1), law: alikeDelayLaw([0.08, 2], 0.2) },
  { name: 'sag > failover, three servers a sag', write: sags(anyDelay, 3), law: anyDelayLaw(0.05, 3) },
  { name: 'sag > failover, delay taught by others', write: taught },
];

interface Outcome {
  readonly ahead: number;
  readonly estimate: ClockEstimate;
}

function run(world: World, seed: number, pairs: number): Outcome {
  const random = randomFrom(seed);
  const ahead = 60 * random() - 30;
  const recording = new EventRecording(HOUR_S);
  for (const source of [STEADY, 3, 4, 5]) recording.recorder(source);
  recording.recorder(SHIFTED, { ahead, digits: world.digits ?? 0 });
  // Unrelated events: a few per minute, in each data source.
  for (let i = 0; i < 40; i++) {
    const at = instant(random);
    if (i % 2) recording.write(STEADY, at, 'voltage_sag', pick(random, place.pdus.slice(0, 1)));
    else recording.write(SHIFTED, at, 'psu_failover', pick(random, place.allServers.slice(30)));
  }
  world.write(recording, random, pairs);
  const estimates = estimateClocks(recording.events, place.graph, world.mechanisms ?? defaultMechanisms(), {
    sources: recording.sources(),
    reference: STEADY,
  });
  return { ahead, estimate: estimates.find(({ source_id }) => source_id === SHIFTED)! };
}

function accuracy(): void {
  console.log(
    `\nclocks off by -30 to 30 s, ${WORLDS} worlds each; errors of those that were estimated;\nfloor: the least p90 that any estimator can have, given the distribution of delays\n`,
  );
  for (const world of worlds)
    for (const pairs of [3, 6, 12, 24]) {
      const outcomes = Array.from({ length: WORLDS }, (_, seed) => run(world, 1000 * pairs + seed, pairs));
      const linkedOutcomes = outcomes.filter(({ estimate }) => estimate.method === 'linked_pairs');
      const error = ({ ahead, estimate }: Outcome) => Math.abs(Number(estimate.correction_ns) / 1e9 + ahead);
      const errors = linkedOutcomes.map(error);
      const covered = linkedOutcomes.filter((one) => error(one) <= Number(one.estimate.uncertainty_ns) / 1e9).length;
      const figure = `p50 ${Math.round(1e3 * quantile(errors, 0.5))} p90 ${Math.round(1e3 * quantile(errors, 0.9))} ms`;
      const astray = errors.filter((seconds) => seconds > ASTRAY_S).length;
      const share = `estimated ${Math.round((100 * linkedOutcomes.length) / WORLDS)} %, inside its 95 % interval ${Math.round((100 * covered) / linkedOutcomes.length)} %`;
      const floor = world.law ? `, floor ${Math.round(1e3 * leastError(world.law, pairs))}` : '';
      print(`${world.name}, ${pairs} pairs`, figure + floor, `${share}, ${astray} astray; n=${linkedOutcomes.length}`);
    }
}

type Unrelated = (chronicle: EventRecording, random: Random) => void;
const times = (count: number, work: () => void): void => {
  for (let i = 0; i < count; i++) work();
};
const burst = (chronicle: EventRecording, random: Random, count: number): void =>
  times(count, () => {
    const at = instant(random);
    for (const server of pick(random, place.servers))
      chronicle.write(SHIFTED, at + 2 * random(), 'psu_failover', server);
  });
const allGpus = [...place.gpus.values()].flat();

/** Two unrelated data sources: any estimated offset is false. */
const unrelated: Readonly<Record<string, Unrelated>> = {
  'few events': (chronicle, random) => {
    times(5, () => chronicle.write(STEADY, instant(random), 'voltage_sag', pick(random, place.pdus)));
    times(15, () => chronicle.write(SHIFTED, instant(random), 'psu_failover', pick(random, place.allServers)));
  },
  'many events': (chronicle, random) => {
    times(100, () => chronicle.write(STEADY, instant(random), 'voltage_sag', pick(random, place.pdus)));
    times(700, () => chronicle.write(SHIFTED, instant(random), 'psu_failover', pick(random, place.allServers)));
  },
  'a burst on each side': (chronicle, random) => {
    const at = instant(random);
    for (const pdu of place.pdus) chronicle.write(STEADY, at + random(), 'voltage_sag', pdu);
    burst(chronicle, random, 1);
  },
  'six bursts on each side': (chronicle, random) => {
    times(6, () => {
      const at = instant(random);
      for (const pdu of place.pdus) chronicle.write(STEADY, at + random(), 'voltage_sag', pdu);
    });
    burst(chronicle, random, 6);
  },
  'a sag, a server that fails over again and again': (chronicle, random) => {
    chronicle.write(STEADY, instant(random), 'voltage_sag', place.pdus[0]!);
    times(40, () => chronicle.write(SHIFTED, instant(random), 'psu_failover', place.allServers[0]!));
  },
  'events of the same kind at other times': (chronicle, random) => {
    times(30, () => chronicle.write(STEADY, instant(random), 'xid_error', pick(random, allGpus.slice(0, 12))));
    times(30, () => chronicle.write(SHIFTED, instant(random), 'xid_error', pick(random, allGpus.slice(0, 12))));
  },
  'every minute, by two schedules': (chronicle, random) => {
    const [a, b] = [60 * random(), 60 * random()];
    for (let minute = 0; minute < 58; minute++) {
      chronicle.write(STEADY, a + 60 * minute, 'thermal_throttle', allGpus[0]!);
      chronicle.write(SHIFTED, b + 60 * minute, 'thermal_throttle', allGpus[0]!);
    }
  },
};

const UNRELATED_WORLDS = 300;

function inventions(): void {
  console.log(`\nrecorders that have nothing to do with each other, ${UNRELATED_WORLDS} worlds each\n`);
  for (const [name, write] of Object.entries(unrelated)) {
    let shifts = 0;
    let zones = 0;
    for (let seed = 0; seed < UNRELATED_WORLDS; seed++) {
      const chronicle = new EventRecording(HOUR_S);
      for (const source of [STEADY, SHIFTED]) chronicle.recorder(source);
      write(chronicle, randomFrom(77_000 + seed));
      const options = { sources: chronicle.sources(), reference: STEADY };
      const found = estimateClocks(chronicle.events, place.graph, defaultMechanisms(), options);
      if (found.some(({ error }) => error === 'shift')) shifts++;
      if (found.some(({ error }) => error === 'zone')) zones++;
    }
    const share = (count: number) => `${((100 * count) / UNRELATED_WORLDS).toFixed(1)} %`;
    print(name, `shift ${share(shifts)}`, `zone ${share(zones)}; n=${UNRELATED_WORLDS}`);
  }
}

const ZONES_MIN = [60, -60, 120, -300, 330, 345, -570, 840, -720];

function zones(): void {
  console.log(`\nwrong zones, and up to 30 s beside them: three pairs, ${WORLDS} worlds each\n`);
  for (const world of worlds.slice(0, -1)) {
    let named = 0;
    let wrong = 0;
    for (let seed = 0; seed < WORLDS; seed++) {
      const random = randomFrom(5000 + seed);
      const minutes = pick(random, ZONES_MIN);
      const ahead = minutes * 60 + (random() < 0.5 ? 0 : 60 * random() - 30);
      const chronicle = new EventRecording(HOUR_S);
      chronicle.recorder(STEADY);
      chronicle.recorder(SHIFTED, { ahead, digits: world.digits ?? 0 });
      world.write(chronicle, random, 3);
      const options = { sources: chronicle.sources(), reference: STEADY };
      const [, found] = estimateClocks(chronicle.events, place.graph, world.mechanisms ?? defaultMechanisms(), options);
      if (found?.error !== 'none' && found?.error !== 'unknown') {
        const isRight = found?.error === 'zone' && Math.abs(Number(found.correction_ns) / 1e9 + ahead) < 3;
        if (isRight) named++;
        else wrong++;
      }
    }
    print(world.name, `named ${Math.round((100 * named) / WORLDS)} %`, `named wrongly ${wrong} of ${WORLDS}`);
  }
}

const TYPES = ['psu_failover', 'cpu_power_cap', 'thermal_throttle', 'power_brake', 'xid_error'];

/** A fleet of many devices: eight sources for its servers, one for its power; the last is 12 s ahead. */
function busyFleet(
  events: number,
  linkedSags: number,
): { readonly recording: EventRecording; readonly graph: Fleet['graph'] } {
  const large = fleet(Math.min(600, Math.max(4, events / 1000)), 16, 1);
  const random = randomFrom(events);
  const chronicle = new EventRecording(HOUR_S);
  for (let source = 0; source <= 8; source++) chronicle.recorder(source, { ahead: source === 8 ? 12 : 0 });
  for (let i = 0; i < events; i++) {
    const at = instant(random);
    if (i % 20 === 0) chronicle.write(0, at, 'voltage_sag', pick(random, large.pdus));
    else {
      const server = Math.floor(random() * large.allServers.length);
      chronicle.write(1 + (server % 8), at, pick(random, TYPES), large.allServers[server]!);
    }
  }
  for (let i = 0; i < linkedSags; i++) {
    const at = instant(random);
    const pdu = Math.floor(random() * large.pdus.length);
    chronicle.write(0, at, 'voltage_sag', large.pdus[pdu]!);
    for (const [i, server] of (large.servers[pdu] as number[]).entries())
      chronicle.write(1 + (i % 8), at + logUniform(random, 0.05, 3), 'psu_failover', server);
  }
  return { recording: chronicle, graph: large.graph };
}

function cost(): void {
  console.log('\ntime to estimate, by events, of a fleet with constant events\n');
  for (const linkedSags of [0, 20])
    for (const events of [1000, 10_000, 100_000, 1_000_000]) {
      const { recording, graph } = busyFleet(events, linkedSags);
      const options = { sources: recording.sources(), reference: 0 };
      const from = performance.now();
      const found = estimateClocks(recording.events, graph, defaultMechanisms(), options);
      const ms = performance.now() - from;
      const known = found.filter(({ method }) => method === 'linked_pairs');
      const errors = known.map((one) => Math.abs(Number(one.correction_ns) / 1e9 + (one.source_id === 8 ? 12 : 0)));
      const worst =
        known.length === 0
          ? 'none estimated'
          : `${known.length} of 8 estimated, worst error ${Math.max(...errors).toFixed(2)} s`;
      print(
        `${events} events, 9 sources, ${linkedSags} linked sags`,
        `${Math.round(ms)} ms`,
        `${((1000 * ms) / events).toFixed(1)} us an event; ${worst}`,
      );
    }
}

/** How well clocks are estimated, how often one is invented, how wrong zones are named, and what it takes. */
export async function benchClocks(): Promise<void> {
  accuracy();
  inventions();
  zones();
  cost();
}
