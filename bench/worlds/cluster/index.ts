import type { World, WorldIncident, WorldLabel } from '../world.ts';
import { Chance } from './chance.ts';
import { clusterFamilies, type Fault, type Maker } from './fault.ts';
import { facilityFaults } from './faults-facility.ts';
import { machineFaults } from './faults-machine.ts';
import { workFaults } from './faults-work.ts';
import { difference, type Harm, restless } from './judge.ts';
import { record } from './record/index.ts';
import type { Scene } from './record/scene.ts';
import { INGRESS } from './record/spans.ts';
import { scares } from './scares.ts';
import { type Run, simulate } from './simulate.ts';
import { buildSite, type Site } from './site.ts';
import { isReached, isSeen, rootsOf, shownAs, withheldLayers } from './truth.ts';

const makers: readonly Maker[] = [...facilityFaults, ...machineFaults, ...workFaults];

/** A cluster from the ground up: current, heat, packets, queues. README.md beside this file. */
export const cluster: World = { name: 'cluster', families: [...clusterFamilies], make };

function make(seed: number): WorldIncident {
  const site = buildSite(seed);
  const runs = new Runs(site);
  const base = runs.of([]);
  const { faults, frights } = plan(runs);
  const run = runs.of([...faults, ...frights]);
  const scene = record(run);
  const causes = causesOf(runs, faults, frights);
  const all = difference(run, base);
  const unsteady = restless(base);
  const labels = causes.flatMap((cause) => labelOf(scene, cause, causes, unsteady) ?? []);
  const family = faults[0]?.family ?? 'calm';
  const troubled = new Set([...all.clear.map(({ name }) => name), ...all.slight, ...unsteady]);
  const names = [...site.services, ...site.jobs].map(({ name }) => name);
  const entries = site.services.filter(({ rate }) => rate > 0);
  const calm = names.filter((name) => !troubled.has(name));
  if (entries.every(({ name }) => !troubled.has(name))) calm.push(INGRESS);
  return {
    id: `cluster-${seed}`,
    family,
    files: scene.files,
    labels: labels.length > 0 ? labels : all.clear.length > 0 ? [] : [noLabel(scene, family)],
    calm,
    story: [...faults, ...frights].map(({ story, from_s }) => `${(from_s / 60).toFixed(1)} min: ${story}`),
  };
}

/** The runs of one site, each made once. */
class Runs {
  readonly site: Site;
  private readonly known: { readonly faults: readonly Fault[]; readonly run: Run }[] = [];

  constructor(site: Site) {
    this.site = site;
  }

  of(faults: readonly Fault[]): Run {
    const same = this.known.find(
      (one) => one.faults.length === faults.length && one.faults.every((fault, i) => fault === faults[i]),
    );
    if (same) return same.run;
    const run = simulate(this.site, faults);
    this.known.push({ faults, run });
    return run;
  }
}

/**
 * What is to go wrong. Where redundancy takes a fault, the dice are thrown again, most times: recordings are kept of nights
 * on which something broke, though not only of these.
 */
function plan(runs: Runs): { readonly faults: readonly Fault[]; readonly frights: readonly Fault[] } {
  const { site } = runs;
  const chance = new Chance(site.seed, 'plan');
  const count = chance.weighted([
    [16, 0],
    [70, 1],
    [14, 2],
  ]);
  const at_s = chance.between(0.35, 0.55) * site.seconds;
  const faults = Array.from({ length: count }, (_, k) => {
    const maker = chance.pick(makers);
    const later_s = k === 0 ? at_s : at_s + chance.between(-240, 400);
    return aimed(runs, maker, later_s, new Chance(site.seed, `fault ${k}`));
  }).flatMap((fault) => fault ?? []);
  const frights = Array.from({ length: chance.pick([0, 0, 1, 1, 2, 3]) }, () =>
    chance.pick(scares)({ site, chance, at_s: Math.max(60, at_s + chance.between(-420, 300)) }),
  ).flatMap((fault) => fault ?? []);
  return { faults, frights };
}

/** How often a fault that did nothing is thrown again. */
const THROWS = 6;

function aimed(runs: Runs, maker: Maker, at_s: number, chance: Chance): Fault | undefined {
  const { site } = runs;
  const anyway = chance.is(0.2);
  let fault: Fault | undefined;
  for (let k = 0; k < THROWS; k++) {
    // A site without what the maker needs gets another one.
    fault = (k < 4 ? maker : chance.pick(makers))({ site, chance, at_s });
    if (fault && (anyway || difference(runs.of([fault]), runs.of([])).clear.length > 0)) return fault;
  }
  return fault;
}

interface Cause {
  readonly fault: Fault;
  readonly harm: readonly Harm[];
}

/** Each fault with what would not have happened without it. */
function causesOf(runs: Runs, faults: readonly Fault[], frights: readonly Fault[]): readonly Cause[] {
  const both = [...faults, ...frights];
  const harmless = frights.length === 0 || difference(runs.of(both), runs.of(faults)).clear.length === 0;
  const all = harmless ? faults : both;
  const causes = all.map((fault) => {
    const without = runs.of(all.filter((one) => one !== fault));
    return { fault, harm: difference(runs.of(all), without).clear };
  });
  return causes.filter(({ harm }) => harm.length > 0);
}

const nanosAt = ({ start_ms }: Site, at_s: number): bigint =>
  BigInt(start_ms) * 1_000_000n + BigInt(Math.round(at_s * 1e9));

function labelOf(
  scene: Scene,
  { fault, harm }: Cause,
  causes: readonly Cause[],
  unsteady: readonly string[],
): WorldLabel | undefined {
  const { site } = scene.run;
  const counted = harm.filter(({ name }) => !unsteady.includes(name));
  if (counted.length === 0) return undefined;
  const names = counted.map(({ name }) => name);
  const from_s = Math.max(fault.from_s, Math.min(...counted.map((one) => one.from_s)));
  const to_s = Math.max(...counted.map((one) => one.to_s));
  const software = fault.truth.service !== undefined;
  const starts = software ? [] : shownAs(scene, fault, to_s);
  const shown = software || starts.length > 0;
  // Where two causes meet in one service at one time, either explains it; software and a device cannot both be expected.
  const meeting = causes.filter(
    (other) =>
      other.fault !== fault &&
      other.harm.some((one) => names.includes(one.name) && one.from_s < to_s + 60 && one.to_s > from_s - 60),
  );
  const [root, ...same] = [
    ...rootsOf(fault, scene.run.journal),
    ...meeting.flatMap((other) => rootsOf(other.fault, [])),
  ];
  const mixed = meeting.some(({ fault: { truth } }) => (truth.service !== undefined) !== software);
  const entry = site.services.some(({ name, rate }) => rate > 0 && names.includes(name));
  return {
    ...noLabel(scene, fault.family),
    root: software ? null : (root ?? null),
    root_equivalents: software ? [] : same,
    guilty_service: fault.truth.service ?? null,
    affected_services: entry ? [...names, INGRESS] : names,
    onset_ns: nanosAt(site, from_s),
    end_ns: nanosAt(site, to_s),
    withheld_layers: shown ? [] : withheldLayers(scene, fault),
    expected: software ? 'no_physical_cause' : shown ? 'device' : 'insufficient_evidence',
    inferable:
      !mixed &&
      isSeen(scene, names, to_s - from_s) &&
      (software ? isExcluded(scene) : shown && isReached(scene.links, starts, names)),
  };
}

/** That it was no device can be known where devices are recorded. */
const isExcluded = ({ recorders }: Scene): boolean =>
  ['traps', 'controllers', 'kernel', 'kubernetes', 'gpus'].filter((name) => recorders.has(name)).length >= 3;

const noLabel = (scene: Scene, family: string): WorldLabel => {
  const { site } = scene.run;
  return {
    id: `cluster-${site.seed}-${family}`,
    seed: site.seed,
    split: 'check',
    family,
    hard: [...scene.offsets.values()].some((offset_s) => Math.abs(offset_s) > 5),
    variants: [],
    root: null,
    root_equivalents: [],
    alike: 0,
    guilty_service: null,
    root_event_id: null,
    chain: [],
    repeats: {},
    affected_services: [],
    onset_ns: nanosAt(site, 0),
    end_ns: nanosAt(site, site.seconds),
    withheld_layers: [],
    clock_offsets_s: Object.fromEntries(scene.offsets),
    expected: 'none',
    inferable: true,
  };
};
