import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleEvent, Input } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { type Member, zipBytes } from '../support/forged-bundle.ts';

export { forged, type Member, membersOf } from '../support/forged-bundle.ts';

export const incident = (name: string): string[] =>
  ['topology', 'traces', 'events'].map((file) =>
    join(import.meta.dirname, '../../fixtures/incidents', name, `${file}.json`),
  );

export async function incidentCase(name: string): Promise<TestCore> {
  const core = await openTestCore();
  await core.import(incident(name));
  return core;
}

/** Exports the open case; returns the final message. */
export async function exported(
  core: TestCore,
  order: Input<'bundle.write'> = {},
  key: string | null = null,
): Promise<Extract<BundleEvent, { kind: 'done' }> & { readonly path: string }> {
  const path = join(await temporaryFolder(), 'out.flb');
  core.bundleTo(path, key);
  for await (const event of core.api['bundle.write'](order)) if (event.kind === 'done') return { ...event, path };
  throw new Error('the bundle was not finished');
}

/** The bundle as a case, on a machine that has never seen it. */
export const opened = (path: string): Promise<TestCore> => openTestCore(path);

/** A file of it. */
export async function zipOf(members: readonly Member[]): Promise<string> {
  const path = join(await temporaryFolder(), 'made.flb');
  await writeFile(path, zipBytes(members));
  return path;
}
