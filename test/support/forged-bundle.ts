import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { zipLayout } from '../../src/core/bundle/zip-layout.ts';
import {
  type BundleManifest,
  type BundleMember,
  MANIFEST_MEMBER,
  manifestText,
} from '../../src/model/storage/bundle.ts';

export interface Member {
  readonly name: string;
  readonly content: Buffer;
}

/** A zip of these members, laid out as the writer does it. */
export function zipBytes(members: readonly Member[]): Buffer {
  const listed = members.map(({ name, content }) => ({ name, bytes: content.length, crc: crc32(content) }));
  const { headers, directory } = zipLayout(listed);
  const pieces = headers.flatMap(({ bytes }, i) => [bytes, members[i]!.content]);
  return Buffer.concat([...pieces, directory]);
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
