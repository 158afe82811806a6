import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './kills-target.ts';

/** A new folder for one kill. */
export async function newPlace(parent: string, number: number): Promise<Place> {
  const folder = join(parent, `kill-${number}`);
  const env = { FAULTLINE_HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') };
  for (const made of Object.values(env)) await mkdir(made, { recursive: true });
  return { folder, env, number };
}

/** A case of its own, of the same name for every kill. */
export async function copyOf(path: string, { folder }: Place): Promise<string> {
  const copy = join(folder, 'case.faultline');
  await cp(path, copy, { recursive: true });
  return copy;
}

/** What dead processes left where the next one should have removed it. */
export async function leftoversOf({ env }: Place): Promise<readonly string[]> {
  const names = await Promise.all([env.TMPDIR, env.FAULTLINE_HOME].map((folder) => readdir(folder!)));
  return names.flat().filter((name) => name.startsWith('faultline-'));
}
