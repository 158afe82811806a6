import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Api } from '../../src/model/contract/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { exported, incident, incidentCase, membersOf } from '../bundle/bundle-case.ts';
import { appCore } from '../support/app-core.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { randomFrom } from '../support/otlp-rows.ts';

const ROUNDS = 12;

const note = (id: string) => ({
  id,
  kind: 'note' as const,
  text: id,
  target: null,
  at_ns: null,
  until_ns: null,
  made_at_ns: 1n,
});

/** What a person would be misled by if it differed. */
async function verdictOf(api: Api): Promise<unknown> {
  const views = await api['incidents.list']({});
  return views.map(({ service, incident: { hypotheses, causal_chain } }) => ({ service, hypotheses, causal_chain }));
}

/** That another window closed the case is an answer; anything else is a failure. */
function closedMeanwhile(error: unknown): void {
  if (!(error instanceof ProblemError && /^case\.(none_open|closed)$/.test(error.problem.code))) throw error;
}

async function bundleOf(name: string): Promise<{ path: string; verdict: unknown; rows: unknown }> {
  const core = await incidentCase(name);
  const { path } = await exported(core);
  const info = await core.api['case.current']({});
  return { path, verdict: await verdictOf(core.api), rows: info?.rows };
}

test('the demo can be opened twice with a note between: it is one open case, and the note is there', async () => {
  const root = await temporaryFolder();
  const { api } = appCore(root);
  const [first, second] = await Promise.all([
    api['case.open_demo']({}, { window: 'one' }),
    api['case.open_demo']({}, { window: 'other' }),
  ]);
  expect([first.sources.length, second]).toEqual([5, first]);
  await api['annotations.change']({ put: [note('n1')] });
  await api['case.open_demo']({});
  expect((await api['annotations.list']({})).map(({ id }) => id)).toContain('n1');
  expect((await readdir(root)).filter((name) => name.endsWith('.faultline'))).toEqual(['demo-incident.faultline']);
});

test('a case that was opened again is still closed to other processes, also after its folder was dropped as a recording', async () => {
  const root = await temporaryFolder();
  const app = appCore(root);
  await app.api['case.open_demo']({});
  await app.api['case.open_demo']({});
  const folder = join(root, 'demo-incident.faultline');
  const [events] = incident('pdu-sag').slice(-1) as [string];
  expect(await faultline('import', folder, events)).toMatchObject({
    code: 1,
    err: expect.stringContaining('open in another Faultline'),
  });
  for (const dropped of [root, folder, join(folder, 'case.duckdb')]) {
    const found = app.api['import.inspect']({ handles: [await app.register(dropped)] });
    for await (const event of found)
      if (event.kind === 'found')
        expect(event.sources.flatMap(({ problem }) => problem?.code ?? [])).toContain('import.a_case');
  }
  expect((await faultline('import', folder, events)).code).toBe(1);
});

test('the same case by a link, by its recent entry and by its folder is one open case', async () => {
  const root = await temporaryFolder();
  const app = appCore(root);
  await app.api['case.open_demo']({});
  await symlink(join(root, 'demo-incident.faultline'), join(root, 'link.faultline'));
  await app.api['annotations.change']({ put: [note('n1')] });
  for (const open of [
    async () => app.api['case.open']({ handle: await app.register(join(root, 'link.faultline')) }),
    async () => app.api['case.open']({ recent: (await app.api['case.recent']({}))[0]?.id ?? '' }),
    async () => app.api['case.open']({ handle: await app.register(join(root, 'demo-incident.faultline')) }),
  ]) {
    await open();
    expect(await app.api['annotations.list']({})).toHaveLength(1);
  }
  expect(await app.api['case.recent']({})).toHaveLength(1);
});

test('two windows that open one bundle at once get one whole case', async () => {
  const bundle = await bundleOf('pdu-sag');
  const root = await temporaryFolder();
  const app = appCore(root);
  const handle = await app.register(bundle.path);
  const windows = ['one', 'two', 'three'].map(async (window) => {
    for await (const event of app.api['case.load']({ handle }, { window }))
      if (event.kind === 'opened') return event.info.rows;
    return null;
  });
  expect(await Promise.all(windows)).toEqual([bundle.rows, bundle.rows, bundle.rows]);
  expect(await verdictOf(app.api)).toEqual(bundle.verdict);
  expect((await readdir(root)).filter((name) => name.endsWith('.faultline'))).toHaveLength(1);
});

test('a case that an older version left empty when it was killed while it loaded a bundle is loaded anew', async () => {
  const bundle = await bundleOf('pdu-sag');
  const home = await temporaryFolder();
  const manifest = membersOf(await readFile(bundle.path)).find(({ name }) => name === 'manifest.json');
  const { root } = JSON.parse(String(manifest?.content)) as { root: string };
  // As they lie there: the mark was written first; opened once more, its tables were made.
  for (const [name, tables] of [
    ['killed', ''],
    ['opened-since', 'create table meta (key varchar, value varchar); create table source (source_id integer)'],
  ] as const) {
    const folder = join(home, `${name}.faultline`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'bundle.json'), JSON.stringify({ root, case: 'test' }));
    const engine = await openNativeEngine(join(folder, 'case.duckdb'));
    const session = await engine.session();
    if (tables !== '') await session.execute(tables);
    session.close();
    await engine.close();
    const { code, err } = await faultline('info', folder);
    expect([code, err]).toEqual([1, expect.stringContaining('open the bundle again')]);
  }
  const { api, register } = appCore(home);
  const info = await api['case.open']({ handle: await register(bundle.path) });
  expect(info.rows).toEqual(bundle.rows);
  expect(await verdictOf(api)).toEqual(bundle.verdict);
  expect((await readdir(home)).filter((name) => name.endsWith('.faultline')).sort()).toEqual([
    'killed (not loaded).faultline',
    'opened-since (not loaded).faultline',
    'test.faultline',
  ]);
});

test('the list of recent cases is written by several at once without a loss, and what a page sees of it holds no path', async () => {
  const root = await temporaryFolder();
  const bundles = await Promise.all(['pdu-sag', 'software-only'].map(bundleOf));
  const apps = [appCore(root), appCore(root)];
  await Promise.all(
    apps.map(async (app, i) =>
      app.api['case.open']({ handle: await app.register((bundles[i] as { path: string }).path) }),
    ),
  );
  const recent = await apps[0]?.api['case.recent']({});
  expect(recent).toHaveLength(2);
  const seen = JSON.stringify(recent, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  for (const part of [root, ...root.split('/').filter((piece) => piece.length > 4)]) {
    expect(seen).not.toContain(part);
    expect(Buffer.from(recent?.[0]?.id ?? '', 'base64url').toString()).not.toContain(part);
  }
  expect(JSON.parse(await readFile(join(root, 'recent.json'), 'utf8'))).toHaveLength(2);
  await apps[0]?.api['case.forget_recent']({ recent: recent?.[0]?.id ?? '' });
  expect(await apps[1]?.api['case.recent']({})).toEqual([recent?.[1]]);
  await apps[0]?.api['case.forget_recent']({ recent: 'of no case' });
  expect(await apps[1]?.api['case.recent']({})).toHaveLength(1);
});

test('many windows open, close and annotate cases and bundles at random: every verdict is the undisturbed one', async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const root = await temporaryFolder();
  const bundles = await Promise.all(['pdu-sag', 'software-only'].map(bundleOf));
  const app = appCore(root);
  const { api } = app;
  await api['case.open_demo']({});
  const [demo, demoRows] = [await verdictOf(api), (await api['case.current']({}))?.rows];
  const handles = await Promise.all(bundles.map(({ path }) => app.register(path)));
  const wrong: unknown[] = [];
  let judged = 0;
  const expected = [...bundles, { rows: demoRows, verdict: demo }];
  const judge = async (): Promise<void> => {
    const before = await api['case.current']({});
    const verdict = await verdictOf(api);
    const after = await api['case.current']({});
    // Another window may have opened another case meanwhile.
    if (before === null || JSON.stringify(before.rows) !== JSON.stringify(after?.rows)) return;
    judged++;
    const own = expected.find(({ rows }) => JSON.stringify(rows) === JSON.stringify(before.rows));
    if (JSON.stringify(own?.verdict) !== JSON.stringify(verdict)) wrong.push({ before, verdict });
  };
  const act = async (window: string): Promise<void> => {
    const which = Math.floor(random() * 5);
    if (which < 2) await api['case.open']({ handle: handles[which]! }, { window });
    else if (which === 2) await api['case.open_demo']({}, { window });
    else if (which === 3) await api['annotations.change']({ put: [note(`n${Math.floor(random() * 1e9)}`)] });
    else await api['case.close']({}, { window });
    await judge();
  };
  // Four windows act at once, in rounds: where one has ended, the open case is judged while nothing disturbs it.
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(['one', 'two', 'three', 'four'].map((window) => act(window).catch(closedMeanwhile)));
    await judge().catch(closedMeanwhile);
  }
  expect(judged).toBeGreaterThan(ROUNDS / 3);
  expect([seed, wrong]).toEqual([seed, []]);
  expect((await readdir(root)).filter((name) => name.endsWith('.faultline'))).toHaveLength(3);
});
