import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../src/base/assert.ts';
import { cli, faultline } from './command-line.ts';

const built = join(cli, '..');
const kept = join(import.meta.dirname, '../../.cache/demo');

/**
 * Puts the demo into a folder: `demo.faultline` and `files`, as `faultline demo --dir FOLDER` does. That command runs once for
 * each build, and its result is copied from then on.
 */
export async function demoCase(folder: string): Promise<void> {
  await cp(await madeDemo(), folder, { recursive: true });
}

/** The files of the demo, to be read only. */
export async function demoFiles(): Promise<
  readonly [topology: string, events: string, metrics: string, logs: string, traces: string]
> {
  const files = join(await madeDemo(), 'files');
  return [
    join(files, 'topology.csv'),
    join(files, 'physical-events.json'),
    join(files, 'metrics.jsonl.gz'),
    join(files, 'logs.jsonl.gz'),
    join(files, 'traces.jsonl.gz'),
  ];
}

async function madeDemo(): Promise<string> {
  const made = join(kept, await buildId());
  if (!(await isThere(made))) await make(made);
  return made;
}

/** Changes with every build. */
async function buildId(): Promise<string> {
  const names = await readdir(built, { recursive: true });
  const times = await Promise.all(names.map(async (name) => (await stat(join(built, name))).mtimeMs));
  return String(Math.round(times.reduce((newest, time) => Math.max(newest, time), 0)));
}

/** Whole or not at all; of two that make it at once, the later one is dropped. */
async function make(place: string): Promise<void> {
  await mkdir(kept, { recursive: true });
  const aside = await mkdtemp(join(kept, 'making-'));
  const { code, err } = await faultline('demo', '--dir', aside);
  assert(code === 0, err);
  await rename(aside, place).catch(() => rm(aside, { recursive: true, force: true }));
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
