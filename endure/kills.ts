import { watch } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomFrom } from '../test/support/otlp-rows.ts';
import { intactCase, isShort } from './intact-case.ts';
import { annotationKills } from './kills-annotation.ts';
import { bundleKills } from './kills-bundle.ts';
import { captureKills } from './kills-capture.ts';
import { stateOf } from './kills-content.ts';
import { exportKills } from './kills-export.ts';
import { importKills } from './kills-import.ts';
import { leftoversOf, newPlace } from './kills-place.ts';
import { pullKills } from './kills-pull.ts';
import type { Attempt, KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import type { Endurance, Outcome } from './options.ts';

const targets: Readonly<Record<string, KillTarget>> = {
  import: importKills,
  pull: pullKills,
  capture: captureKills,
  bundle: bundleKills,
  'export of a bundle': exportKills({ kills: 16, target: 'out.flb', args: (target) => ['--bundle', target] }),
  'export of Parquet': exportKills({ kills: 12, target: 'out-tables', args: (target) => ['--parquet', target] }),
  'export of CSV': exportKills({ kills: 12, target: 'out.csv', args: (target) => ['--csv', 'spans', '--out', target] }),
  annotation: annotationKills,
};
/** While one is killed another is looked at. */
const LANES = 2;
/** Every third is killed when a file appears or goes, which is where the joints are. */
const AIMED_EVERY = 3;
/** Such events; beyond them the moment counts. */
const MOST_EVENTS = 16;
/** A fast target can end before its moment several times in a row, also where one kill is wanted. */
const SPARE_ATTEMPTS = 8;

/** kill -9 at random moments of what writes: nothing that was committed is lost, every case opens, no verdict differs. */
export async function kills({ seed, share, folder, target: only, print }: Endurance): Promise<Outcome> {
  const world = await makeWorld(folder, share);
  const [figures, failures]: [string[], string[]] = [[], []];
  let total = 0;
  for (const [name, target] of Object.entries(targets)) {
    if (only !== undefined && name !== only) continue;
    const own = join(folder, name.replaceAll(' ', '-'));
    await mkdir(own);
    const wanted = Math.max(1, Math.round(target.kills * share));
    const prepared = await target.prepare({ ...world, folder: own });
    const seen = await killOver(name, { seed, prepared, folder: own, wanted });
    total += seen.killed;
    failures.push(...seen.failures);
    const within = `within ${Math.round(seen.longest)} ms`;
    figures.push(`${name}: ${seen.killed} killed ${within}, ${seen.failures.length} failures`);
    for (const line of prepared.figures?.() ?? []) figures.push(`  ${line}`);
    print(`kills: ${figures.find((line) => line.startsWith(`${name}:`))}`);
    await rm(own, { recursive: true, force: true });
  }
  return { figures: [...figures, `${total} kills, ${failures.length} failures`], failures };
}

async function makeWorld(folder: string, share: number): Promise<Omit<KillWorld, 'folder'>> {
  const intact = await intactCase(join(folder, 'demo'), share, { FAULTLINE_HOME: join(folder, 'home') });
  return { intact, intactState: await stateOf(intact.path, {}), spans: isShort(share) ? 40_000 : 200_000 };
}

interface Killing {
  readonly seed: number;
  readonly prepared: PreparedKills;
  readonly folder: string;
  readonly wanted: number;
}

async function killOver(name: string, { seed, prepared, folder, wanted }: Killing) {
  const random = randomFrom(seed);
  const failures: string[] = [];
  const lanes = Math.min(LANES, wanted);
  let longest = prepared.lasts_ms ?? 0;
  let [killed, number] = [0, 0];
  const attempt = async (kill_ms: number, aim: number): Promise<void> => {
    const own = number++;
    const place = await newPlace(folder, own);
    const at = (): string => `seed ${seed}, ${name} ${own}, ${aimText(kill_ms, aim)}`;
    try {
      const { wasKilled, took, attempt: tried } = await killOne(prepared, { place, kill_ms, aim });
      if (wasKilled) killed++;
      // On a machine that has less to do by now than while it was timed, moments past the end would kill nothing.
      else longest = kill_ms === Number.POSITIVE_INFINITY ? Math.max(longest, took) : Math.min(longest, took);
      for (const wrong of await tried.check()) failures.push(`${at()}: ${wrong}`);
      const left = await leftoversOf(place);
      if (left.length > 0) failures.push(`${at()}: left behind: ${left.join(', ')}`);
    } catch (error) {
      failures.push(`${at()}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await rm(place.folder, { recursive: true, force: true });
    }
  };
  // As long as it takes beside another one; nothing may be wrong with what was not killed.
  if (prepared.lasts_ms === undefined)
    await Promise.all(Array.from({ length: lanes }, () => attempt(Number.POSITIVE_INFINITY, 0)));
  const first = number;
  const lane = async (): Promise<void> => {
    while (killed < wanted && number - first < 2 * wanted + SPARE_ATTEMPTS) {
      const slice = (number - first) % wanted;
      const aim = number % AIMED_EVERY === 0 ? 1 + Math.floor(random() * MOST_EVENTS) : 0;
      const kill_ms = (longest * (slice + random())) / wanted;
      await attempt(aim > 0 ? longest : kill_ms, aim);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (killed < wanted) failures.push(`seed ${seed}, ${name}: only ${killed} of ${wanted} were killed`);
  return { failures, killed, longest };
}

const aimText = (moment_ms: number, aim: number): string =>
  moment_ms === Number.POSITIVE_INFINITY
    ? 'undisturbed'
    : `killed ${aim > 0 ? `at change ${aim} of its folder, or ` : ''}after ${Math.round(moment_ms)} ms`;

interface Kill {
  readonly place: Place;
  readonly kill_ms: number;
  /** 0: by the clock alone; else so many names come and go before it is killed. */
  readonly aim: number;
}

async function killOne(
  { begin }: PreparedKills,
  { place, kill_ms, aim }: Kill,
): Promise<{ readonly wasKilled: boolean; readonly took: number; readonly attempt: Attempt }> {
  const attempt = await begin(place);
  const from = performance.now();
  let events = 0;
  const watcher =
    aim > 0
      ? watch(place.folder, { recursive: true }, (event) => {
          if (event === 'rename' && ++events === aim) attempt.victim.kill();
        })
      : undefined;
  watcher?.on('error', () => undefined);
  const timer = Number.isFinite(kill_ms) ? setTimeout(attempt.victim.kill, kill_ms) : undefined;
  const code = await attempt.victim.ended;
  clearTimeout(timer);
  watcher?.close();
  return { wasKilled: code === null, took: performance.now() - from, attempt };
}
