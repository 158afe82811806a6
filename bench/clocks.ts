import { estimateClocks } from '../src/core/analysis/clocks/estimate-clocks.ts';
import type { ClockEstimate } from '../src/core/analysis/clocks/clock-estimate.ts';
import { defaultMechanisms } from '../src/core/analysis/mechanisms.ts';
import { Chronicle, type Fleet, fleet, logUniform, normal, pick, randomFrom } from '../test/support/clock-world.ts';
import { print } from './figures.ts';

const WORLDS = 200;
const HOUR_S = 3600;
const [STEADY, SHIFTED] = [1, 2];

type Random = () => number;
interface World {
  readonly name: string;
  /** Writes `pairs` linked pairs between the two sources. */
  readonly write: (chronicle: Chronicle, random: Random, pairs: number) => void;
  readonly digits?: number;
}

const place: Fleet = fleet(4, 16);
const instant = (random: Random): number => 60 + random() * (HOUR_S - 120);

/** One thing, written down twice: recorders are late by tens of milliseconds. */
function twins(chronicle: Chronicle, random: Random, pairs: number): void {
  for (let i = 0; i < pairs; i++) {
    const [at, gpu] = [instant(random), pick(random, [...place.gpus.values()].flat())];
    chronicle.write(STEADY, at + 0.02 * random(), 'xid_error', gpu);
    chronicle.write(SHIFTED, at + 0.02 + 0.08 * random(), 'xid_error', gpu);
  }
}

/** Sags of a PDU and failovers of its servers; the delay of each pair is drawn from the mechanism's range. */
const sags =
  (delay: (random: Random) => () => number, perSag: number) =>
  (chronicle: Chronicle, random: Random, pairs: number): void => {
    const next = delay(random);
    for (let written = 0; written < pairs; ) {
      const at = instant(random);
      const pdu = Math.floor(random() * place.pdus.length);
      chronicle.write(STEADY, at, 'voltage_sag', place.pdus[pdu] as number);
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
function taught(chronicle: Chronicle, random: Random, pairs: number): void {
  const next = alikeDelay(random);
  for (let i = 0; i < pairs; i++) {
    const at = instant(random);
    const pdu = Math.floor(random() * place.pdus.length);
    const servers = place.servers[pdu] as number[];
    chronicle.write(STEADY, at, 'voltage_sag', place.pdus[pdu] as number);
    chronicle.write(SHIFTED, at + next(), 'psu_failover', servers[0] as number);
    for (const source of [3, 4, 5]) {
      chronicle.write(source, at + next(), 'psu_failover', servers[source] as number);
      const [seen, gpu] = [instant(random), (place.gpus.get(servers[source] as number) as number[])[0] as number];
      chronicle.write(STEADY, seen + 0.02 * random(), 'xid_error', gpu);
      chronicle.write(source, seen + 0.08 * random(), 'xid_error', gpu);
    }
  }
}

const worlds: readonly World[] = [
  { name: 'two recorders', write: twins },
  { name: 'two recorders, whole seconds', write: twins, digits: 1 },
  { name: 'sag > failover, any delay', write: sags(anyDelay, 1) },
  { name: 'sag > failover, alike delays', write: sags(alikeDelay, 1) },
  { name: 'sag > failover, three servers a sag', write: sags(anyDelay, 3) },
  { name: 'sag > failover, delay taught by others', write: taught },
];

interface Outcome {
  readonly ahead: number;
  readonly estimate: ClockEstimate;
}

function run(world: World, seed: number, pairs: number): Outcome {
  const random = randomFrom(seed);
  const ahead = 60 * random() - 30;
  const chronicle = new Chronicle(HOUR_S);
  for (const source of [STEADY, 3, 4, 5]) chronicle.recorder(source);
  chronicle.recorder(SHIFTED, { ahead, digits: world.digits ?? 0 });
  // What has nothing to do with it: a few things a minute, by either source.
  for (let i = 0; i < 40; i++) {
    const at = instant(random);
    if (i % 2) chronicle.write(STEADY, at, 'voltage_sag', pick(random, place.pdus.slice(0, 1)));
    else chronicle.write(SHIFTED, at, 'psu_failover', pick(random, place.allServers.slice(30)));
  }
  world.write(chronicle, random, pairs);
  const estimates = estimateClocks(chronicle.events, place.graph, defaultMechanisms, {
    sources: chronicle.sources(),
    reference: STEADY,
  });
  return { ahead, estimate: estimates.find(({ source_id }) => source_id === SHIFTED) as ClockEstimate };
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN;

function accuracy(): void {
  console.log(`\nclocks off by -30 to 30 s, ${WORLDS} worlds each; errors of those that were told\n`);
  for (const world of worlds)
    for (const pairs of [3, 6, 12, 24]) {
      const outcomes = Array.from({ length: WORLDS }, (_, seed) => run(world, 1000 * pairs + seed, pairs));
      const told = outcomes.filter(({ estimate }) => estimate.method === 'linked_pairs');
      const error = ({ ahead, estimate }: Outcome) => Math.abs(Number(estimate.correction_ns) / 1e9 + ahead);
      const errors = told.map(error);
      const covered = told.filter((one) => error(one) <= Number(one.estimate.uncertainty_ns) / 1e9).length;
      const figure = `p50 ${Math.round(1e3 * quantile(errors, 0.5))} p90 ${Math.round(1e3 * quantile(errors, 0.9))} ms`;
      const share = `told ${Math.round((100 * told.length) / WORLDS)} %, inside its 95 % interval ${Math.round((100 * covered) / told.length)} %`;
      print(`${world.name}, ${pairs} pairs`, figure, `${share}; n=${told.length}`);
    }
}

export async function benchClocks(): Promise<void> {
  accuracy();
}
