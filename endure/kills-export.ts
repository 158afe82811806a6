import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cli, faultline } from './faultline.ts';
import { differenceOf, stateOf } from './kills-content.ts';
import { copyOf } from './kills-place.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim } from './kills-victim.ts';

interface Form {
  readonly kills: number;
  /** A file or a folder. */
  readonly target: string;
  args(target: string): readonly string[];
}

/** The command line that writes a case in one form. */
export const exportKills = (form: Form): KillTarget => ({
  kills: form.kills,
  prepare: (world) => prepare(world, form),
});

async function prepare({ folder, intact, intactState }: KillWorld, form: Form): Promise<PreparedKills> {
  const whole = join(folder, form.target);
  const base = await copyOf(intact.path, { folder, env: {}, number: 0 });
  const from = performance.now();
  const made = await faultline(['export', base, ...form.args(whole)]);
  if (made.code !== 0) throw new Error(made.err);
  // Beside another one it takes longer.
  const lasts_ms = 1.5 * (performance.now() - from);
  const wanted = await digestOf(whole);
  const counts = { absent: 0, whole: 0 };
  const begin = async (place: Place) => {
    const { env } = place;
    const path = await copyOf(intact.path, place);
    const target = join(place.folder, form.target);
    const args = ['export', path, ...form.args(target)];
    const victim = startVictim([cli, ...args], env);
    const check = async (): Promise<string[]> => {
      const left = await digestOf(target);
      counts[left === null ? 'absent' : 'whole']++;
      const difference = differenceOf(await stateOf(path, env), intactState);
      const mayReplace = left !== null && form.args('').includes('--parquet') ? ['--overwrite'] : [];
      const again = await faultline([...args, ...mayReplace], env);
      const leftovers = (await readdir(place.folder)).filter((name) => !known.has(name) && name !== form.target);
      return [
        ...(left === null || left === wanted ? [] : [`half of ${form.target} is there`]),
        ...(left === null ? [] : await unverified(target, env)),
        ...(difference === '' ? [] : [`the case is not as before: ${difference}`]),
        ...(again.code === 0 ? [] : [`cannot be exported again: ${again.err.slice(0, 300)}`]),
        ...((await digestOf(target)) === wanted ? [] : [`exported again, ${form.target} is another`]),
        ...(leftovers.length === 0 ? [] : [`left beside ${form.target}: ${leftovers.join(', ')}`]),
      ];
    };
    return { victim, check };
  };
  return {
    lasts_ms,
    begin,
    figures: () => [`the target was absent ${counts.absent} times, whole ${counts.whole} times`],
  };
}

async function unverified(target: string, env: Place['env']): Promise<string[]> {
  if (!target.endsWith('.flb')) return [];
  const { code, out, err } = await faultline(['verify', target], env);
  return code === 0 ? [] : [`is not whole: ${out}${err}`];
}

const known: ReadonlySet<string> = new Set(['case.faultline', 'home', 'tmp']);

/** Of a file, or of the files of a folder; null: it is not there. */
async function digestOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  const files = found.isDirectory() ? (await readdir(path)).sort().map((name) => join(path, name)) : [path];
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${basename(file)}\n`).update(await readFile(file));
  return hash.digest('hex');
}
