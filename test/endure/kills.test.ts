import { watch } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultline } from '../../endure/faultline.ts';
import { kills } from '../../endure/kills.ts';
import { appArgs } from '../../endure/kills-app-args.ts';
import { startVictim, type Victim } from '../../endure/kills-victim.ts';
import { cli } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { demoCase } from '../support/demo-case.ts';

test('killed while it imports, pulls, records, opens, exports or annotates it loses nothing (all of it: npm run endure -- --only kills)', async () => {
  const { figures, failures } = await kills({
    seed: Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000),
    share: 0.02,
    folder: await temporaryFolder(),
    print: () => undefined,
  });
  expect(failures, figures.join('\n')).toEqual([]);
  // Of every kind at least one.
  expect(figures.filter((line) => /: [1-9]\d* killed within/.test(line))).toHaveLength(8);
});

/** The demo's case, homes of its own, and an empty folder to work in. */
async function place() {
  const folder = await temporaryFolder();
  const [home, tmp, work] = ['home', 'tmp', 'work'].map((name) => join(folder, name)) as [string, string, string];
  for (const made of [home, tmp, work]) await mkdir(made);
  const env = { FAULTLINE_HOME: home, TMPDIR: tmp };
  await demoCase(folder);
  return { env, home, work, demo: join(folder, 'demo.faultline') };
}

/** As soon as something is there that was not. */
async function killedWhenFilled(folder: string, start: () => Victim): Promise<readonly string[]> {
  const before = await readdir(folder);
  const ours = (names: readonly string[]) =>
    names.filter((name) => /faultline-|out-tables/.test(name) && !before.includes(name));
  let victim: Victim | undefined;
  const watcher = watch(folder, (_, name) => name !== null && ours([name]).length > 0 && victim?.kill());
  victim = start();
  expect(await victim.ended).toBeNull();
  watcher.close();
  return ours(await readdir(folder));
}

test('half a folder of tables that a killed export left is gone after the next export', async () => {
  const { env, work, demo } = await place();
  const args = ['export', demo, '--parquet', join(work, 'out-tables')];
  expect(await killedWhenFilled(work, () => startVictim([cli, ...args], env))).toHaveLength(1);
  expect(await faultline(args, env)).toMatchObject({ code: 0, err: '' });
  expect(await readdir(work)).toEqual(['out-tables']);
});

test('half a case that was killed while its bundle was opened is gone when any other case is opened', async () => {
  const { env, home, work, demo } = await place();
  const bundle = join(work, 'demo.flb');
  expect((await faultline(['export', demo, '--bundle', bundle], env)).code).toBe(0);
  const left = await killedWhenFilled(home, () => startVictim(appArgs('load', home, bundle), env));
  expect(left).toEqual([expect.stringMatching(/^faultline-case-/)]);
  const other = startVictim(appArgs('load', home, demo), env);
  expect(await other.ended).toBe(0);
  expect((await readdir(home)).filter((name) => name.startsWith('faultline-'))).toEqual([]);
});
