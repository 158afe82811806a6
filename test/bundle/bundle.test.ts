import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION, storedTables } from '../../src/core/store/tables/index.ts';
import { withBundles } from '../../src/main/bundle/open-bundle.ts';
import { readBundle } from '../../src/main/bundle/read-bundle.ts';
import { caseFolders, openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { faultline } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { exported, forged, incidentCase, membersOf, opened, zipOf } from './bundle-case.ts';

const verify = (path: string, key: string | null = null) =>
  readBundle(path, { key, signal: new AbortController().signal, unpackTo: null });

test.each(['pdu-sag', 'software-only'])('%s is judged the same wherever its bundle is opened', async (name) => {
  const here = await incidentCase(name);
  const { path, root, changed } = await exported(here);
  expect(changed).toEqual([]);
  const there = await opened(path);
  const [one, other] = await Promise.all([here, there].map(({ api }) => api['incidents.list']({})));
  expect(one?.length).toBeGreaterThan(0);
  expect(other).toEqual(one);
  const report = await here.api['report.render']({});
  expect(await there.api['report.render']({})).toEqual(report);
  expect(
    membersOf(await readFile(path))
      .find((member) => member.name === 'report.md')
      ?.content.toString(),
  ).toBe(report.text);
  // Handed on, it is the same file: nothing of the machine is in it.
  expect((await exported(there)).root).toBe(root);
});

test('the same case is the same bytes, and every table of it is there', async () => {
  const core = await incidentCase('pdu-sag');
  const [one, other] = [await exported(core), await exported(core)];
  expect((await readFile(one.path)).equals(await readFile(other.path))).toBe(true);
  const { manifest, differences } = await verify(one.path);
  expect(differences).toEqual([]);
  expect(manifest.tables.map(({ table }) => table)).toEqual(storedTables);
});

test('flame graphs that were looked at change nothing of the bundle', async () => {
  const core = await incidentCase('pdu-sag');
  const before = await exported(core);
  for await (const _ of core.api['traces.prepare']({}));
  expect((await exported(core)).root).toBe(before.root);
});

test('annotations and saved queries travel, and a saved query is not run where it comes from elsewhere', async () => {
  const core = await incidentCase('pdu-sag');
  const sql = 'select start_utc, duration_ms as n from spans';
  const common = { at_ns: null, until_ns: null, made_at_ns: 7n };
  const note = { kind: 'note' as const, id: 'n1', text: 'look here', ...common, target: null };
  const query = {
    kind: 'query' as const,
    id: 'q1',
    text: 'mine',
    sql,
    ...common,
    lane: { time: 'start_utc', value: 'n', unit: 'ms' },
  };
  await core.api['annotations.change']({ put: [note, query] });
  const there = await opened((await exported(core)).path);
  expect(await there.api['annotations.list']({})).toEqual(await core.api['annotations.list']({}));
  await expect(there.api['query.sql']({ sql, unread: true })).rejects.toMatchObject({
    problem: { code: 'sql.from_elsewhere' },
  });
});

test('whatever is changed in a bundle is named', async () => {
  const { path } = await exported(await incidentCase('pdu-sag'));
  const whole = await readFile(path);
  const members = membersOf(whole);
  const changed = (name: string) =>
    members.map((member) =>
      member.name === name ? { name, content: Buffer.concat([member.content, Buffer.from('x')]) } : member,
    );
  const namesIn = async (file: string) =>
    (await verify(file)).differences.map(({ member, what }) => `${member} ${what}`);
  expect(await namesIn(await zipOf(members))).toEqual([]);
  expect(await namesIn(await zipOf(changed('tables/event.parquet')))).toEqual([
    expect.stringMatching(/^tables\/event.parquet was changed/),
  ]);
  expect(await namesIn(await zipOf(changed('report.md')))).toEqual([expect.stringMatching(/^report.md was changed/)]);
  expect(await namesIn(await zipOf(members.filter(({ name }) => name !== 'tables/log.parquet')))).toEqual([
    'tables/log.parquet is missing',
  ]);
  const extra = { name: 'tables/more.parquet', content: Buffer.from('more') };
  expect(await namesIn(await zipOf([...members, extra]))).toEqual(['tables/more.parquet is extra']);
  const renamed = members.map((member) =>
    member.name === 'manifest.json'
      ? { ...member, content: Buffer.from(member.content.toString().replace('"case": "test"', '"case": "best"')) }
      : member,
  );
  expect(await namesIn(await zipOf(renamed))).toEqual([expect.stringMatching(/^manifest.json was changed/)]);
  const padded = join(await temporaryFolder(), 'padded.flb');
  await writeFile(padded, Buffer.concat([Buffer.from('hidden'), whole]));
  await expect(verify(padded)).rejects.toMatchObject({ problem: { code: 'bundle.not_a_bundle' } });
});

test('a byte that is turned anywhere is noticed', async () => {
  const { path } = await exported(await incidentCase('software-only'));
  const whole = await readFile(path);
  const file = join(await temporaryFolder(), 'turned.flb');
  for (let i = 0; i < 60; i++) {
    const flipped = Buffer.from(whole);
    const at = Math.floor((i / 60) * whole.length);
    flipped[at] = flipped[at]! ^ 0x10;
    await writeFile(file, flipped);
    const noticed = await verify(file).then(
      ({ differences }) => differences.length > 0,
      ({ problem }) => /^bundle\./.test(problem?.code),
    );
    expect([at, noticed]).toEqual([at, true]);
  }
});

test('a signature shows its signer', async () => {
  const folder = await temporaryFolder();
  const pair = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return {
      secret: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      open: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    };
  };
  const [mine, other] = [pair(), pair()];
  const keyFile = join(folder, 'key.pem');
  await writeFile(keyFile, mine.secret);
  const core = await incidentCase('software-only');
  const { path, signed_by, root } = await exported(core, {}, keyFile);
  expect((await readFile(path)).includes('PRIVATE')).toBe(false);
  expect(await verify(path, mine.open)).toMatchObject({ differences: [], signed_by });
  expect((await verify(path, other.open)).differences).toEqual([
    { member: 'signature', what: expect.stringContaining('another key') },
  ]);
  const unsigned = await exported(core);
  expect(unsigned.root).toBe(root);
  expect((await verify(unsigned.path, mine.open)).differences).toEqual([
    { member: 'signature', what: 'it is not signed' },
  ]);
  // A signature that is taken to another content.
  const text =
    membersOf(await readFile(path))
      .find(({ name }) => name === 'manifest.json')
      ?.content.toString() ?? '';
  const taken = forged(membersOf(await readFile(path)), () => ({ case: 'another' })).map((member) =>
    member.name === 'manifest.json'
      ? {
          ...member,
          content: Buffer.from(
            member.content
              .toString()
              .replace('"signature": null', `"signature": ${JSON.stringify(JSON.parse(text).signature)}`),
          ),
        }
      : member,
  );
  const found = await verify(await zipOf(taken));
  expect(found.differences.map(({ member }) => member)).toContain('signature');
  await writeFile(keyFile, 'no key');
  await expect(exported(core, {}, keyFile)).rejects.toMatchObject({ problem: { code: 'bundle.bad_key' } });
});

test('the app keeps a bundle as a case of its own, and knows it again', async () => {
  const core = await incidentCase('software-only');
  const { path } = await exported(core);
  const root = await temporaryFolder();
  const storage = withBundles(caseFolders(root), root);
  const first = await storage.open(path);
  expect(first.name).toBe('test');
  expect(first.bundle?.tables.length).toBe(storedTables.length);
  // Until its rows are in it has no place: a process that is killed leaves nothing that looks like a case.
  expect([await storage.recent(), (await readdir(root)).filter((name) => name.endsWith('.faultline'))]).toEqual([
    [],
    [],
  ]);
  await first.engine.close();
  const settled = await first.settle?.();
  expect(await storage.recent()).toMatchObject([{ name: 'test', bundle: true }]);
  const second = await storage.open(path);
  expect([second, second.bundle]).toEqual([settled, undefined]);
  await second.engine.close();
});

test('a bundle of an older schema is upgraded as an older case is, one of a newer is refused in one line', async () => {
  const core = await incidentCase('pdu-sag');
  const { path } = await exported(core);
  const members = membersOf(await readFile(path));
  const older = await olderMembers(core.path, members);
  const there = await opened(await zipOf(forged(older.members, older.manifest)));
  expect(await there.api['incidents.list']({})).toEqual(await (await openTestCore(path)).api['incidents.list']({}));
  expect(await there.api['case.current']({})).toMatchObject({ schema_version: SCHEMA_VERSION });
  const newer = await zipOf(forged(members, () => ({ schema_version: SCHEMA_VERSION + 1 })));
  await expect(opened(newer)).rejects.toMatchObject({ problem: { code: 'bundle.newer_schema' } });
});

test('a bundle is no file of records: importing it states how it is opened', async () => {
  const { path } = await exported(await incidentCase('pdu-sag'));
  const { code, err } = await faultline('import', join(dirname(path), 'other.faultline'), path);
  expect([code, err]).toEqual([1, expect.stringContaining('is a bundle: a case of its own')]);
});

/** As Faultline of schema 5 would have written it: without the table of outages. */
async function olderMembers(_path: string, members: ReturnType<typeof membersOf>) {
  const folder = await temporaryFolder();
  const { engine } = await openCaseFolder(join(folder, 'x.faultline'), { create: true });
  const session = await engine.session();
  await mkdir(engine.exchange!, { recursive: true });
  const meta = join(engine.exchange!, 'meta.parquet');
  await session.execute(
    `copy (select * from (values ('name', 'test'), ('schema_version', '5')) as meta(key, value)) to '${meta}' (format parquet)`,
  );
  const content = await readFile(meta);
  session.close();
  await engine.close();
  expect((await stat(folder)).isDirectory()).toBe(true);
  return {
    members: members
      .filter(({ name }) => name !== 'tables/outage.parquet')
      .map((member) => (member.name === 'tables/meta.parquet' ? { ...member, content } : member)),
    manifest: (manifest: { tables: { table: string; rows: number; columns: unknown[] }[] }) =>
      ({ schema_version: 5, tables: manifest.tables.filter(({ table }) => table !== 'outage') }) as never,
  };
}

test('DuckDB alone reads a bundle, by the SQL that docs/bundle.md shows', async () => {
  const { path } = await exported(await incidentCase('pdu-sag'));
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'tables'));
  for (const { name, content } of membersOf(await readFile(path))) await writeFile(join(folder, name), content);
  const page = await readFile(join(import.meta.dirname, '../../docs/bundle.md'), 'utf8');
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  const engine = await openFileEngine(storedTables.map((table) => join(folder, 'tables', `${table}.parquet`)));
  const session = await engine.session();
  const counts: number[] = [];
  for (const one of sql.split(';').filter((text) => text.trim() !== ''))
    counts.push((await session.query(one.replaceAll("'tables/", `'${folder}/tables/`))).count);
  expect(counts.length).toBe(3);
  expect(counts[0]).toBeGreaterThan(0);
  await engine.close();
});
