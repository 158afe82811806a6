import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../src/core/api/index.ts';
import { withBundles } from '../../src/main/bundle/open-bundle.ts';
import { readBundle } from '../../src/main/bundle/read-bundle.ts';
import { caseFolders } from '../../src/main/engine/case-folders.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { openBundle } from '../../src/viewer/bundle/open-bundle.ts';
import { createViewer, type Viewer } from '../../src/viewer/viewer-core.ts';
import { exported, incidentCase, membersOf, opened, zipOf } from '../bundle/bundle-case.ts';
import { temporaryFolder } from '../support/core.ts';
import { openNodeWasmEngine, viewed } from '../support/wasm-engine.ts';

const note = {
  kind: 'note' as const,
  id: 'n1',
  text: 'seen in a browser',
  at_ns: null,
  until_ns: null,
  made_at_ns: 7n,
  target: null,
};

async function saved({ api, files }: Viewer): Promise<string> {
  for await (const event of api['bundle.write']({})) {
    if (event.kind !== 'done') continue;
    const path = join(await temporaryFolder(), event.name);
    const { file } = files.get(event.download!);
    await writeFile(path, new Uint8Array(await file.arrayBuffer()));
    return path;
  }
  throw new Error('the bundle was not finished');
}

const verify = (path: string) => readBundle(path, { key: null, signal: new AbortController().signal, unpackTo: null });

test('what is added in the viewer is saved as a bundle that the desktop verifies and opens', async () => {
  const { path } = await exported(await incidentCase('pdu-sag'));
  const viewer = await viewed(path);
  await viewer.api['annotations.change']({ put: [note] });
  const again = await saved(viewer);
  const { differences, manifest } = await verify(again);
  expect(differences).toEqual([]);
  expect(manifest.tables).toEqual(
    (await verify(path)).manifest.tables.map((table) => (table.table === 'annotation' ? { ...table, rows: 1 } : table)),
  );
  const desktop = await opened(again);
  expect(await desktop.api['annotations.list']({})).toEqual([note]);
  expect(await desktop.api['incidents.list']({})).toEqual(await viewer.api['incidents.list']({}));
  expect(await desktop.api['report.render']({})).toEqual(await viewer.api['report.render']({}));
  // And once more through the desktop: the rows are the same, whichever host packed them.
  expect((await exported(desktop)).rows).toBe(manifest.tables.reduce((sum, { rows }) => sum + rows, 0));
});

const unwatched = { signal: new AbortController().signal, onProgress: () => undefined, onPreview: () => undefined };

const openAndRead = async (path: string) => {
  const file = new Blob([new Uint8Array(await readFile(path))]);
  return openBundle(file, 'case.flb', unwatched);
};

test('a signature is checked as on the desktop, and whatever was changed is named', async () => {
  const core = await incidentCase('software-only');
  const key = join(await temporaryFolder(), 'key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { path, signed_by } = await exported(core, {}, key);
  expect(await openAndRead(path)).toMatchObject({ differences: [], signed_by });
  const members = membersOf(await readFile(path));
  const changed = (name: string, content: (before: Buffer) => Buffer) =>
    zipOf(members.map((member) => (member.name === name ? { name, content: content(member.content) } : member)));
  const refused = (problem: object) => expect.objectContaining({ problem: expect.objectContaining(problem) });
  await expect(
    openAndRead(await changed('tables/event.parquet', (before) => Buffer.concat([before, Buffer.from('x')]))),
  ).rejects.toEqual(refused({ code: 'bundle.changed', message: expect.stringContaining('tables/event.parquet') }));
  await expect(
    openAndRead(
      await changed('manifest.json', (before) =>
        // One signature in 64 begins with any letter.
        Buffer.from(before.toString().replace(/"value": "(.)/, (_, first) => `"value": "${first === 'A' ? 'B' : 'A'}`)),
      ),
    ),
  ).rejects.toEqual(refused({ code: 'bundle.changed', message: expect.stringContaining('signature') }));
  await expect(openAndRead(await zipOf(members.slice(1)))).rejects.toEqual(refused({ code: 'bundle.changed' }));
});

test('a byte that is turned anywhere is noticed by the viewer, too', async () => {
  const { path } = await exported(await incidentCase('software-only'));
  const whole = await readFile(path);
  const check = (bytes: Buffer) => openBundle(new Blob([new Uint8Array(bytes)]), 'case.flb', unwatched);
  for (let i = 0; i < 60; i++) {
    const flipped = Buffer.from(whole);
    const at = Math.floor((i / 60) * whole.length);
    flipped[at] = flipped[at]! ^ 0x10;
    const noticed = await check(flipped).then(
      ({ differences }) => differences.length > 0,
      ({ problem }) => /^bundle\./.test(problem?.code),
    );
    expect([at, noticed]).toEqual([at, true]);
  }
  for (const length of [0, 1, 21, 22, 100, whole.length - 1])
    await expect(check(whole.subarray(0, length))).rejects.toMatchObject({ problem: { code: 'bundle.not_a_bundle' } });
});

test('SQL sees the case and nothing else, reads only, and can be cancelled', async () => {
  const { api } = await viewed((await exported(await incidentCase('pdu-sag'))).path);
  const run = (sql: string, signal?: AbortSignal) => api['query.sql']({ sql }, signal ? { signal } : {});
  expect((await run('with e as (from events) select count(*) as n from e; -- of them')).rows).toEqual([
    [expect.any(Number)],
  ]);
  for (const sql of [
    'delete from event',
    'with a as (select 1) insert into meta select 1, 2',
    'create table x (a int)',
    'select 1; select 2',
    '-- nothing',
    'set threads = 1',
    'rollback',
    'explain analyze delete from event',
    "copy event to 'x'",
  ])
    await expect(run(sql), sql).rejects.toMatchObject({ problem: { code: 'sql.refused' } });
  for (const sql of [
    "select * from read_csv('http://127.0.0.1/x.csv')",
    "from 'x.parquet'",
    "select * from read_text('/etc/passwd')",
    'from no_such_table',
  ])
    await expect(run(sql), sql).rejects.toMatchObject({ problem: { code: 'sql.failed' } });
  const stop = new AbortController();
  const long = run('select sum(a.range * b.range) from range(1000000) a, range(1000000) b', stop.signal);
  stop.abort(new Error('enough'));
  await expect(long).rejects.toThrow('enough');
  expect((await run('select 42 as n')).rows).toEqual([[42]]);
});

test('a function of the desktop alone gives one line', async () => {
  const viewer = await viewed((await exported(await incidentCase('pdu-sag'))).path);
  const desktopOnly = { problem: { code: 'viewer.desktop_only' } };
  const written = async (input: Parameters<(typeof viewer.api)['bundle.write']>[0]) => {
    for await (const _ of viewer.api['bundle.write'](input));
  };
  await expect(written({ sign: 'keychain:mine' })).rejects.toMatchObject(desktopOnly);
  await expect(written({ cut: { from_ns: 0n, to_ns: null, entities: null } })).rejects.toMatchObject(desktopOnly);
  await expect(viewer.api['case.open_demo']({})).rejects.toMatchObject(desktopOnly);
  const { handle } = viewer.files.adopt('spans.jsonl', new Blob(['{}']));
  await expect(viewer.api['case.open']({ handle })).rejects.toMatchObject(desktopOnly);
  expect((await viewer.api['app.info']({})).abilities).toEqual([]);
});

test('one case after another, each in a database of its own', async () => {
  const paths = [await exported(await incidentCase('pdu-sag')), await exported(await incidentCase('software-only'))];
  const viewer = createViewer({ openEngine: openNodeWasmEngine, version: 'test' });
  const counts: unknown[] = [];
  for (const { path } of [...paths, ...paths.slice(0, 1)]) {
    const { handle } = viewer.files.adopt('case.flb', new Blob([new Uint8Array(await readFile(path))]));
    counts.push((await viewer.api['case.open']({ handle })).rows);
  }
  expect(counts[2]).toEqual(counts[0]);
  expect(counts[1]).not.toEqual(counts[0]);
  await viewer.close();
});

test.each(['viewer', 'desktop'])(
  'in the %s a bundle shows its opening progress, and can be cancelled',
  async (where) => {
    const { path } = await exported(await incidentCase('pdu-sag'));
    const bundle = new Blob([new Uint8Array(await readFile(path))]);
    const viewer = createViewer({ openEngine: openNodeWasmEngine, version: 'test' });
    onTestFinished(() => viewer.close());
    const files = createFileHandles();
    const root = await temporaryFolder();
    const desktop = createApi({
      host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
      version: 'test',
      storage: withBundles(caseFolders(root), root),
      reader: {
        formats: [],
        inspect: () => Promise.reject(),
        columns: () => Promise.reject(),
        open: () => Promise.reject(),
        eventMarks: [],
        details: readDetails,
        places: () => new BatchBuilder().finish(0),
      },
      files,
      demoFiles: async () => [],
      now: () => 0n,
    });
    onTestFinished(() => desktop.close());
    const { api } = where === 'viewer' ? viewer : desktop;
    const handle =
      where === 'viewer' ? viewer.files.adopt('case.flb', bundle).handle : (await files.register(path)).handle;
    const left = new AbortController();
    for await (const event of api['case.load']({ handle }, { signal: left.signal })) {
      expect(event.kind).not.toBe('opened');
      left.abort();
      break;
    }
    await expect.poll(() => api['case.current']({})).toBeNull();
    const progress: string[] = [];
    for await (const event of api['case.load']({ handle }))
      progress.push(event.kind === 'progress' ? event.stage : event.kind);
    expect([...new Set(progress)]).toEqual([
      ...(where === 'viewer' ? ['preview'] : []),
      'checking',
      'loading',
      'opened',
    ]);
    expect((await api['incidents.list']({})).length).toBeGreaterThan(0);
  },
);
