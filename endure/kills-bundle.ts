import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainSpans } from '../test/support/plain-spans.ts';
import { faultline } from './faultline.ts';
import { appArgs } from './kills-app-args.ts';
import { differenceOf, stateOf } from './kills-content.ts';
import { copyOf, leftoversOf } from './kills-place.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim } from './kills-victim.ts';

/** The app, which opens a bundle that it has never seen. */
export const bundleKills: KillTarget = { kills: 40, prepare };

async function prepare({ folder, intact, spans }: KillWorld): Promise<PreparedKills> {
  const path = await copyOf(intact.path, { folder, env: {}, number: 0 });
  const [more, bundle] = [join(folder, 'more.binpb'), join(folder, 'case.flb')];
  await writeFile(more, plainSpans(spans, 3));
  for (const args of [
    ['import', path, more],
    ['export', path, '--bundle', bundle],
  ]) {
    const ran = await faultline(args);
    if (ran.code !== 0) throw new Error(ran.err);
  }
  const wanted = await stateOf(path, {});
  let survived = 0;
  const begin = async (place: Place) => {
    const { folder: own, env } = place;
    const root = join(own, 'home');
    const load = appArgs('load', root, bundle);
    const victim = startVictim(load, env);
    await victim.waitForLine(/^ready$/);
    const check = async (): Promise<string[]> => {
      const before = await casesIn(root);
      if (before.length > 0) survived++;
      const wrong = await halfCases(root, before);
      // Whatever is opened next: what the dead process left is gone.
      const other = startVictim(appArgs('load', root, await copyOf(intact.path, place)), env);
      if ((await other.ended) !== 0) wrong.push(`another case does not open: ${other.err().slice(0, 400)}`);
      const left = await leftoversOf(place);
      if (left.length > 0) wrong.push(`left behind: ${left.join(', ')}`);
      const again = startVictim(load, env);
      if ((await again.ended) !== 0) return [...wrong, `does not open again: ${again.err().slice(0, 400)}`];
      const after = await casesIn(root);
      if (after.length !== 1) wrong.push(`opened again it is ${after.length} cases: ${after.join(', ')}`);
      for (const name of after) {
        const difference = differenceOf(await stateOf(join(root, name), env), wanted);
        if (difference !== '') wrong.push(`${name} is not as undisturbed: ${difference}`);
      }
      return wrong;
    };
    return { victim, check };
  };
  return { begin, figures: () => [`the case was in its place already ${survived} times`] };
}

const casesIn = async (root: string): Promise<string[]> =>
  (await readdir(root)).filter((name) => name.endsWith('.faultline'));

/** Of cases: which are none. */
async function halfCases(root: string, names: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const name of names)
    await access(join(root, name, 'case.duckdb')).catch(() => wrong.push(`${name} is there without a case in it`));
  return wrong;
}
