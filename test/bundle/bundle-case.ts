import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { zipLayout } from '../../src/core/bundle/zip-layout.ts';
import { type BundleManifest, type BundleMember, MANIFEST_MEMBER, manifestText } from '../../src/model/bundle.ts';
import type { BundleEvent, Input } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';

export const incident = (name: string): string[] =>
  ['topology', 'traces', 'events'].map((file) =>
    join(import.meta.dirname, '../../fixtures/incidents', name, `${file}.json`),
  );

export async function incidentCase(name: string): Promise<TestCore> {
  const core = await openTestCore();
  await core.import(incident(name));
  return core;
}

/** Exports the open case; what is told at the end. */
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

export interface Member {
  readonly name: string;
  readonly content: Buffer;
}

/** A zip of these members, laid out as the writer does it. */
export async function zipOf(members: readonly Member[]): Promise<string> {
  const listed = members.map(({ name, content }) => ({ name, bytes: content.length, crc: crc32(content) }));
  const { headers, directory } = zipLayout(listed);
  const pieces = headers.flatMap(({ bytes }, i) => [bytes, (members[i] as Member).content]);
  const folder = await temporaryFolder();
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'made.flb');
  await writeFile(path, Buffer.concat([...pieces, directory]));
  return path;
}

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** Members with a manifest that vouches for them, as somebody who knows the format would forge one. */
export function forged(
  members: readonly Member[],
  change: (manifest: BundleManifest) => Partial<BundleManifest> = () => ({}),
): Member[] {
  const old = JSON.parse(
    members.find(({ name }) => name === MANIFEST_MEMBER)?.content.toString() ?? '',
  ) as BundleManifest;
  const others = members.filter(({ name }) => name !== MANIFEST_MEMBER);
  const listed: BundleMember[] = others.map(({ name, content }) => ({
    name,
    bytes: content.length,
    sha256: sha256(content),
  }));
  const { root: _root, signature: _signature, ...content } = { ...old, members: listed, ...change(old) };
  const manifest = { ...content, root: sha256(manifestText(content)), signature: null };
  return [...others, { name: MANIFEST_MEMBER, content: Buffer.from(manifestText(manifest)) }];
}

/** What lies in a zip whose members are stored. */
export function membersOf(zip: Buffer): Member[] {
  const members: Member[] = [];
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const bytes = zip.readUInt32LE(at + 18);
    const nameAt = at + 30;
    const dataAt = nameAt + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const name = zip.subarray(nameAt, nameAt + zip.readUInt16LE(at + 26)).toString();
    members.push({ name, content: zip.subarray(dataAt, dataAt + bytes) });
    at = dataAt + bytes;
  }
  return members;
}
