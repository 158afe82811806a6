import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type HostileMember, tarOf, zipOf } from '../../fuzz/archive-writers.ts';
import { capturedAt } from '../../src/main/sources/files/captured-at.ts';
import { inspect } from '../../src/main/sources/files/inspect.ts';
import { Scratch } from '../../src/main/sources/files/unpack.ts';
import { sources } from '../../src/main/sources/index.ts';
import type { FoundSource } from '../../src/model/storage/source.ts';
import { temporaryFolder } from '../support/core.ts';

const MEBIBYTE = 1 << 20;
const log = Buffer.from('[    1.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off\n');
const member = (name: string, content: Uint8Array = log, kind: HostileMember['kind'] = 'file'): HostileMember => ({
  name,
  kind,
  content,
  lie: 0,
});

/** What an archive turns out to be, and every file that looking into it has made, below the folder it lies in. */
async function inspectArchive(
  archive: Uint8Array,
  most = 8 * MEBIBYTE,
): Promise<{ found: FoundSource[]; made: string[]; bytes: number }> {
  const folder = await temporaryFolder();
  const scratch = join(folder, '1/2/3/scratch');
  await mkdir(scratch, { recursive: true });
  await writeFile(join(folder, 'it'), archive);
  const run = { sources, scratch: new Scratch(scratch, most), onFile: () => undefined };
  const found = await inspect([{ path: join(folder, 'it'), name: 'it' }], run);
  const made: string[] = [];
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const about = await stat(join(folder, name));
    if (!about.isFile() || name === 'it') continue;
    made.push(name);
    bytes += about.size;
  }
  return { found, made: made.sort(), bytes };
}
const brief = (found: readonly FoundSource[]) =>
  found.map(({ name, format, problem }) => [name, format ?? problem?.code]);

test.each([
  ['zip', zipOf],
  ['tar', tarOf],
  ['tar.gz', (members: readonly HostileMember[]) => gzipSync(tarOf(members))],
])('a %s that unpacks to far more than itself stops at the limit, with a problem', async (_, write) => {
  const bomb = write([member('a.log'), member('zeros', new Uint8Array(64 * MEBIBYTE)), member('b.log')]);
  const { found, bytes } = await inspectArchive(bomb, 2 * MEBIBYTE);
  expect(brief(found)).toEqual([
    ['it/a.log', 'kernel-log'],
    ['it', 'archive.too_large'],
  ]);
  expect(bytes).toBeLessThanOrEqual(2 * MEBIBYTE);
});

test('members of a zip that lie in each other are refused before anything of it fills the disk', async () => {
  const content = Buffer.from(`${log}`.repeat(2000));
  const archive = Buffer.from(zipOf(Array.from({ length: 40 }, (_, i) => member(`${i}.log`, content))));
  // Every entry of the directory states the offset of the first one; only the first one remains.
  const [second, directory] = [archive.indexOf('PK\x03\x04', 4), archive.indexOf('PK\x01\x02')];
  const entries = Buffer.from(archive.subarray(directory));
  for (let at = entries.indexOf('PK\x01\x02'); at >= 0; at = entries.indexOf('PK\x01\x02', at + 4))
    entries.writeUInt32LE(0, at + 42);
  entries.writeUInt32LE(second, entries.length - 6);
  const { found, bytes } = await inspectArchive(Buffer.concat([archive.subarray(0, second), entries]));
  expect(brief(found).at(-1)).toEqual(['it', 'archive.overlapping']);
  expect(bytes).toBeLessThan(20 * content.length);
});

test('an archive of nothing but folders ends as one of too many files does', async () => {
  const folders = gzipSync(
    tarOf(Array.from({ length: 100_001 }, (_, i) => member(`f${i}/`, new Uint8Array(), 'folder'))),
  );
  expect(folders.length).toBeLessThan(4 * MEBIBYTE);
  const { found } = await inspectArchive(folders);
  expect(brief(found).at(-1)).toEqual(['it', 'archive.too_large']);
});

test('bombs inside bombs share one limit', async () => {
  const bomb = zipOf([member('zeros', new Uint8Array(MEBIBYTE)), member('more', new Uint8Array(MEBIBYTE))]);
  const nested = zipOf(Array.from({ length: 8 }, (_, i) => member(`${i}.zip`, bomb)));
  const { found, bytes } = await inspectArchive(nested, 4 * MEBIBYTE);
  expect(found.map(({ problem }) => problem?.code)).toContain('archive.too_large');
  expect(bytes).toBeLessThanOrEqual(4 * MEBIBYTE);
});

const ways = [
  '../escaped',
  '../../escaped',
  '/escaped',
  'a/../../../escaped',
  '..\\..\\escaped',
  './/../escaped',
  '..',
];
test.each([
  ['zip', zipOf],
  ['tar', tarOf],
])('names in a %s lead nowhere: they are labels, and files lie under numbers', async (_, write) => {
  const { found, made } = await inspectArchive(write(ways.map((name) => member(name))));
  expect(made).toEqual(ways.map((_, i) => `1/2/3/scratch/${i + 1}`));
  expect(found.map(({ name, format }) => [name.split('/').includes('..') || name.includes('\\'), format])).toEqual(
    ways.map(() => [false, 'kernel-log']),
  );
});

test('links, devices and pipes in a tar are reported and give no files', async () => {
  const kinds = ['symbolic link', 'hard link', 'device', 'pipe'] as const;
  const empty = new Uint8Array();
  const { found, made } = await inspectArchive(
    tarOf([...kinds.map((kind) => member(kind, empty, kind)), member('a.log')]),
  );
  expect(made).toEqual(['1/2/3/scratch/1']);
  expect(brief(found)).toEqual([
    ['it/a.log', 'kernel-log'],
    ['it', 'file.not_regular'],
  ]);
  expect(found[1]?.problem?.message).toContain('4 links');
});

test('names of 60 000 bytes, with NUL and with control characters', async () => {
  const long = 'x'.repeat(60_000);
  const { found } = await inspectArchive(zipOf([member(long), member('a\0b\x1b[2J.log')]));
  expect(brief(found)).toEqual([
    ['it/a?b?[2J.log', 'kernel-log'],
    [`it/${long}`, 'kernel-log'],
  ]);
});

test('a time of writing that no clock can show is not stated', () => {
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 1e18, -1e18])
    expect(capturedAt('a', time)).toEqual({ captured_ns: 0n, captured_from: 'file time' });
});
