import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { importPaths } from '../import-paths.ts';
import type { World, WorldIncident } from './world.ts';

/** Writes the files of a recording below a folder. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** An incident in a case, and how long its import took; 0 when the case was kept from an earlier run. */
export interface ImportedIncident {
  readonly incident: WorldIncident;
  readonly import_ms: number;
}

/**
 * Makes the incident of a seed, puts its files through the ordinary importers into a case and reads that case. Needs a build
 * (`npm run build`). With a folder, cases stay there and later runs only read them: they are as old as the importers that
 * made them.
 * @throws Error when a file that a world wrote cannot be imported
 */
export async function withCase<T>(
  world: World,
  seed: number,
  kept: string | undefined,
  use: (reader: Reader, imported: ImportedIncident) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-world-'));
  try {
    const place = kept === undefined ? folder : join(kept, `${world.name}-${seed}`);
    const imported = existsSync(join(place, INCIDENT))
      ? { incident: await readIncident(place), import_ms: 0 }
      : await makeCase(world.make(seed), folder, place);
    const { engine } = await openCaseFolder(join(place, CASE), { create: false });
    const session = await engine.session();
    try {
      return await use(createReader(session), imported);
    } finally {
      session.close();
      await engine.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const CASE = 'world.faultline';
const INCIDENT = 'incident.json';

async function makeCase(incident: WorldIncident, folder: string, place: string): Promise<ImportedIncident> {
  await writeFiles(join(folder, 'files'), incident.files);
  const from = performance.now();
  await importPaths(join(folder, CASE), [join(folder, 'files')]);
  const import_ms = performance.now() - from;
  await mkdir(place, { recursive: true });
  if (place !== folder) await rename(join(folder, CASE), join(place, CASE));
  await writeFile(join(place, INCIDENT), JSON.stringify({ ...incident, files: [] }, bigintAsText));
  return { incident, import_ms };
}

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
const textAsBigint = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;

async function readIncident(place: string): Promise<WorldIncident> {
  const { files, ...incident } = JSON.parse(await readFile(join(place, INCIDENT), 'utf8'), textAsBigint);
  return { ...incident, files: new Map(files) };
}
