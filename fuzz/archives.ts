import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { openFileEngine } from '../src/main/engine/file-engine.ts';
import { inspect } from '../src/main/sources/files/inspect.ts';
import { readSource } from '../src/main/sources/files/read-source.ts';
import { Scratch } from '../src/main/sources/files/unpack.ts';
import { sources } from '../src/main/sources/index.ts';
import { ProblemError } from '../src/model/problem.ts';
import { rowCount } from '../src/model/rows/rows.ts';
import type { FoundSource } from '../src/model/storage/source.ts';
import { fixturesOf } from '../test/support/fixtures.ts';
import { type HostileMember, tarOf, zipOf } from './archive-writers.ts';
import { mutated, mutations } from './mutations.ts';
import type { HostileInput, Tally, Target } from './target.ts';

/** The disk that unpacking may use: more would be a bomb. */
const MOST_BYTES = 8 << 20;
const ABSOLUTE = '/tmp/faultline-fuzz-escaped';
const names = [
  'a.log',
  'a.log',
  'a/b/c.log',
  '../escaped',
  '../../escaped',
  '../../../../escaped',
  ABSOLUTE,
  `${ABSOLUTE}/../x`,
  '',
  '.',
  '..',
  '/',
  'C:\\escaped',
  '..\\..\\escaped',
  'a\0b',
  '\0',
  'a\nb',
  '\x1b[2J',
  'é🔥',
  '1',
  'own-1',
  'x'.repeat(60_000),
  'a/'.repeat(5000),
  'redfish/v1/index.json',
  'sys/class/powercap/intel-rapl:0/energy_uj',
  'CON',
  '~/.ssh/authorized_keys',
  '%2e%2e/escaped',
];

/** Archives with any members, inside each other, compressed, and then damaged. */
export function archiveTarget(): Target {
  const contents = sources.flatMap((source) => Object.values(fixturesOf(source)[0]?.[1] ?? {}).slice(0, 1));
  const { archive } = fc.letrec<{ archive: Uint8Array; member: HostileMember }>((tie) => ({
    archive: fc
      .tuple(
        fc.constantFrom(tarOf, tarOf, zipOf),
        fc.array(tie('member'), { maxLength: 5, depthIdentifier: 'archive' }),
        fc.constantFrom(false, false, true),
      )
      .map(([write, members, packed]) => (packed ? gzipSync(write(members)) : write(members))),
    member: fc.record({
      name: fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 12 })),
      kind: fc.constantFrom('file', 'file', 'file', 'symbolic link', 'hard link', 'device', 'pipe', 'folder'),
      content: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(...contents, new Uint8Array(), new Uint8Array(4 << 20), gzipSync(new Uint8Array(4 << 20))),
        tie('archive'),
      ),
      lie: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -600, max: 2 ** 31 }) },
      ),
    }),
  }));
  const damage = fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: mutations([]) });
  const inputs = fc.record({ bytes: archive, changes: damage }).map(({ bytes, changes }) => ({
    origin: 'archive',
    path: 'a',
    bytes: mutated(bytes, changes),
    siblings: {},
    piece: 0,
  }));
  return { id: 'files', inputs, check: checkFiles };
}

async function checkFiles({ bytes, path }: HostileInput, folder: string): Promise<Tally> {
  // Deep enough that a few steps up still lie in the folder, where they are seen.
  const scratch = join(folder, '1/2/3/scratch');
  mkdirSync(scratch, { recursive: true });
  const location = join(folder, path);
  writeFileSync(location, bytes);
  const unpacked = new Scratch(scratch, MOST_BYTES);
  const found = await inspect([{ path: location, name: path }], {
    sources,
    scratch: unpacked,
    onFile: () => undefined,
  });
  checkFolder(folder, path);
  let rows = 0;
  for (const source of found) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    if (source.name.split('/').includes('..') || /[\0-\x1f\x7f]/.test(source.name))
      throw new Error(`a label ${source.name}`);
    if (source.format !== null) rows += await rowsOf({ ...source, format: source.format }, unpacked);
  }
  checkFolder(folder, path);
  return { rows, rejects: found.filter(({ problem }) => problem).length };
}

async function rowsOf(found: FoundSource & { readonly format: string }, scratch: Scratch): Promise<number> {
  const order = { ...found, assume: { zone: null, device: null, mapping: null } };
  let rows = 0;
  try {
    for await (const { batch } of readSource(order, sources, { scratch, database: openFileEngine }).batches())
      rows += rowCount(batch);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
  return rows;
}

/** Nothing but plain files under numbers in the scratch folder, and not more of them than allowed. */
function checkFolder(folder: string, archive: string): void {
  let size = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const about = lstatSync(join(folder, name));
    if (name === archive || ['1', '1/2', '1/2/3', '1/2/3/scratch'].includes(name)) continue;
    if (!/^1\/2\/3\/scratch\/(?:own-)?\d+$/.test(name) || !about.isFile()) throw new Error(`it wrote ${name}`);
    size += about.size;
  }
  if (size > MOST_BYTES) throw new Error(`it wrote ${size} bytes`);
  if (existsSync(ABSOLUTE)) throw new Error(`it wrote ${ABSOLUTE}`);
}
