import type { World, WorldIncident } from '../world.ts';
import { Chance } from './chance.ts';
import { type Fault, fabricFamilies, type Maker } from './fault.ts';
import { facilityFaults } from './faults-facility.ts';
import { machineFaults } from './faults-machine.ts';
import { softwareFaults } from './faults-software.ts';
import { difference, type Harm, restless } from './judge.ts';
import { record } from './record/index.ts';
import { scares } from './scares.ts';
import { type Run, simulate } from './simulate.ts';
import { buildSite, EDGE, type Site } from './site.ts';
import { type Cause, emptyLabel, labelOf } from './truth.ts';

const makers: readonly Maker[] = [...facilityFaults, ...machineFaults, ...softwareFaults];

/** A rail-optimised fabric with jobs and services, by events instead of time steps. README.md above this folder. */
export const fabric: World = { name: 'fabric', families: [...fabricFamilies, 'scare', 'calm'], make };

function make(seed: number): WorldIncident {
  const site = buildSite(seed);
  const base = simulate(site, []);
  const plan = planOf(site, base);
  const both = [...plan.faults, ...plan.falseAlarms];
  const run = both.length === 0 ? base : simulate(site, both);
  const scene = record(run);
  const unsteady = restless(base);
  const all = difference(run, base);
  const causes = causesOf(site, run, plan, unsteady);
  const labels = causes.map((cause) => labelOf(scene, cause));
  const family = plan.faults[0]?.family ?? 'calm';
  const troubled = new Set([...all.clear.map(({ name }) => name), ...all.slight, ...unsteady]);
  const names = [...site.services.filter(({ kind }) => kind !== 'remote'), ...site.jobs].map(({ name }) => name);
  const calm = names.filter((name) => !troubled.has(name));
  const entries = site.services.filter(({ rate }) => rate > 0);
  if (scene.measured.has(EDGE) && entries.every(({ name }) => calm.includes(name))) calm.push(EDGE);
  return {
    id: `fabric-${seed}`,
    family,
    files: scene.files,
    labels: labels.length > 0 ? labels : all.clear.length > 0 ? [] : [emptyLabel(scene, family)],
    calm,
    story: both.map(({ story, at_s }) => `${(at_s / 60).toFixed(1)} min: ${story}`),
  };
}

interface Plan {
  readonly faults: readonly Fault[];
  readonly falseAlarms: readonly Fault[];
}

/** How often a fault that does no harm is thrown again, and how often its kind is kept. */
const THROWS = 6;
const SAME_KIND = 4;

function planOf(site: Site, base: Run): Plan {
  const chance = new Chance(site.seed, 'plan');
  const drawn = chance.next();
  const count = drawn < 0.15 ? 0 : drawn < 0.88 ? 1 : 2;
  const at_s = chance.between(0.35, 0.55) * site.seconds;
  const faults: Fault[] = [];
  for (let k = 0; k < count; k++) {
    const later_s = k === 0 ? at_s : at_s + chance.between(-200, 400);
    const fault = aimed(site, base, later_s, new Chance(site.seed, `fault ${k}`));
    // What is out cannot go out again.
    if (fault && faults.every(({ subject }) => subject !== fault.subject)) faults.push(fault);
  }
  const falseAlarms = Array.from({ length: chance.pick([0, 0, 1, 1, 2, 3]) }, () =>
    chance.pick(scares)({ site, chance, at_s: Math.max(60, at_s + chance.between(-420, 300)) }),
  ).flatMap((fault) => fault ?? []);
  return { faults, falseAlarms };
}

/** One kind is picked and aimed until it hurts, most times; some are kept that do not. */
function aimed(site: Site, base: Run, at_s: number, chance: Chance): Fault | undefined {
  const anyway = chance.is(0.2);
  let maker = chance.pick(makers);
  let fault: Fault | undefined;
  for (let k = 0; k < THROWS; k++) {
    if (k >= SAME_KIND) maker = chance.pick(makers);
    const next = maker({ site, chance, at_s });
    if (!next) {
      // A site that lacks what this kind needs gets another kind.
      maker = chance.pick(makers);
      continue;
    }
    fault = next;
    if (anyway || difference(simulate(site, [fault]), base).clear.length > 0) return fault;
  }
  return fault;
}

/** Each fault with what would not have happened without it. */
function causesOf(site: Site, run: Run, { faults, falseAlarms }: Plan, unsteady: readonly string[]): readonly Cause[] {
  const counted = (harm: readonly Harm[]) => harm.filter(({ name }) => !unsteady.includes(name));
  if (faults.length + falseAlarms.length === 0) return [];
  const harmless = falseAlarms.length === 0 || difference(run, simulate(site, faults)).clear.length === 0;
  const both = [...faults, ...falseAlarms];
  const found = (harmless ? faults : both)
    .map((fault) => ({
      fault,
      harm: counted(
        difference(
          run,
          simulate(
            site,
            both.filter((one) => one !== fault),
          ),
        ).clear,
      ),
    }))
    .filter(({ harm }) => harm.length > 0);
  return found.map(({ fault, harm }) => ({
    fault,
    harm,
    meets: found
      .filter(
        (other) =>
          other.fault !== fault &&
          other.harm.some((one) =>
            harm.some((own) => own.name === one.name && one.from_s < own.to_s + 60 && one.to_s > own.from_s - 60),
          ),
      )
      .map((other) => other.fault),
  }));
}
