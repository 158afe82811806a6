import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { BundleManifest } from '../../src/model/storage/bundle.ts';
import { temporaryFolder } from '../support/core.ts';
import { exported, forged, incidentCase, type Member, membersOf, opened, zipOf } from './bundle-case.ts';

let members: readonly Member[] = [];
beforeEach(async () => {
  if (members.length > 0) return;
  const core = await incidentCase('software-only');
  members = membersOf(await readFile((await exported(core)).path));
});

const refused = async (path: string): Promise<string> =>
  opened(path).then(
    () => 'opened',
    (error) => error.problem?.code ?? `crashed: ${error}`,
  );
const replaced = (name: string, content: Buffer | string): Member[] =>
  members.map((member) => (member.name === name ? { name, content: Buffer.from(content) } : member));

/** What somebody's own DuckDB writes. */
async function parquet(select: string): Promise<Buffer> {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  try {
    await mkdir(engine.exchange!);
    const path = join(engine.exchange!, 'made.parquet');
    await session.execute(`copy (${select}) to '${path}' (format parquet, compression zstd)`);
    return await readFile(path);
  } finally {
    session.close();
    await engine.close();
  }
}

const withTable =
  (table: string, change: Partial<BundleManifest['tables'][number]>) =>
  (manifest: BundleManifest): Partial<BundleManifest> => ({
    tables: manifest.tables.map((one) => (one.table === table ? { ...one, ...change } : one)),
  });

test('another file gets the message that it is no bundle', async () => {
  const folder = await temporaryFolder();
  const file = async (content: Buffer | string) => {
    const path = join(folder, 'some.flb');
    await writeFile(path, content);
    return path;
  };
  expect(await refused(await file(''))).toBe('bundle.not_a_bundle');
  expect(await refused(await file('hello'))).toBe('bundle.not_a_bundle');
  expect(await refused(await zipOf([{ name: 'a', content: Buffer.from('a') }]))).toBe('bundle.not_a_bundle');
  expect(await refused(await zipOf(replaced('manifest.json', '{')))).toBe('bundle.not_a_bundle');
  expect(await refused(await zipOf(replaced('manifest.json', '[]')))).toBe('bundle.not_a_bundle');
});

test('names that lead elsewhere, links and twins are not unpacked', async () => {
  const before = readdirSync(tmpdir()).length;
  for (const name of ['../../escaped.parquet', '/tmp/escaped.parquet', 'tables/../../escaped', 'tables\\escaped'])
    expect(await refused(await zipOf([...members, { name, content: Buffer.from('x') }]))).toBe('bundle.changed');
  // Even where the manifest vouches for it.
  const climbing = [...members, { name: '../escaped.parquet', content: Buffer.from('x') }];
  expect(await refused(await zipOf(forged(climbing)))).toBe('bundle.changed');
  const twins = [...members, members.find(({ name }) => name === 'tables/event.parquet')!];
  expect(await refused(await zipOf(twins))).toBe('bundle.changed');
  const manifests = [...members, members.find(({ name }) => name === 'manifest.json')!];
  expect(await refused(await zipOf(manifests))).toBe('bundle.not_a_bundle');
  // A symbolic link is a member whose content is its target: it is hashed as any, and is no Parquet.
  expect(await refused(await zipOf(forged(replaced('tables/event.parquet', '/etc/passwd'))))).toBe('bundle.damaged');
  expect(readdirSync(tmpdir()).filter((name) => name.includes('escaped'))).toEqual([]);
  expect(before).toBeGreaterThan(0);
});

test('a member that unpacks to more than it is, is not unpacked', async () => {
  const bomb = deflateRawSync(Buffer.alloc(64 * 2 ** 20));
  const path = await zipOf(replaced('tables/span.parquet', bomb));
  const zip = await readFile(path);
  // The method of the member in its own header and in the directory, and its stated size.
  for (let at = zip.indexOf('tables/span.parquet'); at >= 0; at = zip.indexOf('tables/span.parquet', at + 1)) {
    const isDirectory = zip.readUInt32LE(at - 46) === 0x02014b50;
    if (!isDirectory && zip.readUInt32LE(at - 30) !== 0x04034b50) continue;
    zip.writeUInt16LE(8, at - (isDirectory ? 36 : 22));
    zip.writeUInt32LE(64 * 2 ** 20, at - (isDirectory ? 22 : 8));
  }
  await writeFile(path, zip);
  expect(await refused(path)).toBe('bundle.changed');
});

test('a manifest of 100 MB is not read', async () => {
  const large = Buffer.concat([Buffer.from('{"format":"'), Buffer.alloc(100 * 2 ** 20, 'x'), Buffer.from('"}')]);
  expect(await refused(await zipOf(replaced('manifest.json', large)))).toBe('bundle.too_large');
});

test('a text that stands in a billion rows is counted before it is unpacked', async () => {
  // Some kilobytes of Parquet, 5 GiB of text.
  const bomb = await parquet(
    "select 1::integer as source_id, 'f' as file, i::bigint as \"at\", repeat('x', 50000) as reason, '' as excerpt from range(110000) r(i)",
  );
  expect(bomb.length).toBeLessThan(2e6);
  const forgery = forged(replaced('tables/reject.parquet', bomb), withTable('reject', { rows: 110_000 }));
  expect(await refused(await zipOf(forgery))).toBe('bundle.too_large');
});

test('Parquet of other columns, types or rows than the schema has is refused, whatever the manifest states', async () => {
  const name = 'tables/outage.parquet';
  const refusal = async (select: string, change: Parameters<typeof withTable>[1]) =>
    refused(await zipOf(forged(replaced(name, await parquet(select)), withTable('outage', change))));
  const columns = [
    { name: 'source_id', type: 'INTEGER' as const },
    { name: 'from_ns', type: 'BIGINT' as const },
    { name: 'until_ns', type: 'BIGINT' as const },
    { name: 'reason', type: 'VARCHAR' as const },
  ];
  const right = "1::integer as source_id, 1::bigint as from_ns, 2::bigint as until_ns, 'x' as reason";
  expect(await refusal(`select ${right}`, { rows: 1 })).toBe('opened');
  expect(await refusal(`select ${right}`, { rows: 2 })).toBe('bundle.damaged');
  expect(await refusal(`select ${right}, 1::integer as more`, { rows: 1 })).toBe('bundle.damaged');
  const more = [...columns, { name: 'more', type: 'INTEGER' as const }];
  expect(await refusal(`select ${right}, 1::integer as more`, { rows: 1, columns: more })).toBe('bundle.damaged');
  const text = columns.map((column) => (column.name === 'from_ns' ? { ...column, type: 'VARCHAR' as const } : column));
  expect(await refusal(`select ${right.replace('1::bigint', "'1'")}`, { rows: 1, columns: text })).toBe(
    'bundle.damaged',
  );
  expect(await refusal(`select ${right.replace("'x'", "['x']")}`, { rows: 1 })).toBe('bundle.damaged');
  // NULL where the schema has none, and a key that stands there twice.
  expect(await refusal(`select ${right.replace('1::bigint', 'null::bigint')}`, { rows: 1 })).toBe('bundle.damaged');
  const twice = await parquet("select * from (values ('schema_version', '6'), ('schema_version', '6')) m(key, value)");
  expect(
    await refused(await zipOf(forged(replaced('tables/meta.parquet', twice), withTable('meta', { rows: 2 })))),
  ).toBe('bundle.damaged');
});

test('a table too many, a table too few and a damaged Parquet are refused', async () => {
  const more = [...members, { name: 'tables/more.parquet', content: await parquet('select 1::integer as a') }];
  const listed = (manifest: BundleManifest): Partial<BundleManifest> => ({
    tables: [...manifest.tables, { table: 'more', rows: 1, columns: [{ name: 'a', type: 'INTEGER' }] }],
  });
  expect(await refused(await zipOf(forged(more, listed)))).toBe('bundle.damaged');
  const fewer = members.filter(({ name }) => name !== 'tables/event.parquet');
  const without = (manifest: BundleManifest): Partial<BundleManifest> => ({
    tables: manifest.tables.filter(({ table }) => table !== 'event'),
  });
  expect(await refused(await zipOf(forged(fewer, without)))).toBe('bundle.damaged');
  const event = members.find(({ name }) => name === 'tables/event.parquet')!;
  for (const share of [0.2, 0.5, 0.9]) {
    const broken = Buffer.from(event.content);
    broken.fill(0xff, Math.floor(broken.length * share), Math.floor(broken.length * share) + 20);
    expect(await refused(await zipOf(forged(replaced(event.name, broken))))).toMatch(/^(bundle.damaged|opened)$/);
  }
});

test('a bundle that was refused leaves nothing behind', async () => {
  const zip = await zipOf(forged(replaced('tables/event.parquet', 'nothing')));
  // A folder of its own: others unpack bundles, too.
  const folder = await temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(tmpdir()).toBe(folder);
  await refused(zip);
  expect(readdirSync(folder).filter((name) => /^faultline-(case|bundle)-/.test(name))).toEqual([]);
});
