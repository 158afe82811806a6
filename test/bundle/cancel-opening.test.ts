import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../src/core/api/index.ts';
import { compose } from '../../src/main/compose.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { threadedReader } from '../../src/main/sources/threaded-reader.ts';
import type { Api, OpeningEvent } from '../../src/model/contract/index.ts';
import { temporaryFolder } from '../support/core.ts';
import { exported, incidentCase } from './bundle-case.ts';

const workerFile = new URL('../../out/main/import-worker.js', import.meta.url);

// Of its own: other files' tests leave and take away what is temporary meanwhile.
beforeEach(async () => {
  const { TMPDIR } = process.env;
  const own = await mkdtemp(join(tmpdir(), 'faultline-own-'));
  process.env.TMPDIR = own;
  return async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(own, { recursive: true, force: true });
  };
});

/** The app's own storage, with a bundle and a case that is open. */
async function openApi(): Promise<{ api: Api; root: string; bundle: string }> {
  const { path } = await exported(await incidentCase('software-only'));
  const root = await temporaryFolder();
  const files = createFileHandles();
  const host = { kind: 'web' as const, pickFiles: async () => [], saveFile: async () => null };
  const { api, close } = compose({ host, files, workerFile, root });
  onTestFinished(close);
  const before = await exported(await incidentCase('pdu-sag'));
  await api['case.open']({ handle: (await files.register(before.path)).handle });
  return { api, root, bundle: (await files.register(path)).handle };
}

const cases = async (root: string): Promise<string[]> =>
  (await readdir(root)).filter((name) => name.endsWith('.faultline')).sort();
const leftOver = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => /^faultline-(bundle|case|exchange|import)-/.test(name)).sort();

test('opening a bundle reports progress, and then the case', async () => {
  const { api, bundle } = await openApi();
  const events: OpeningEvent[] = [];
  for await (const event of api['case.load']({ handle: bundle })) events.push(event);
  const progress = events.flatMap((event) => (event.kind === 'progress' ? [event] : []));
  expect(new Set(progress.map(({ stage }) => stage))).toEqual(new Set(['checking', 'loading']));
  for (const stage of ['checking', 'loading'] as const) {
    const own = progress.filter((event) => event.stage === stage);
    expect(own.map(({ done }) => done)).toEqual(own.map(({ done }) => done).sort((a, b) => a - b));
    expect(own.at(-1)?.done).toBe(own.at(-1)?.total);
  }
  expect(events.at(-1)).toMatchObject({ kind: 'opened', info: { name: 'test' } });
  expect((await api['incidents.list']({})).length).toBeGreaterThan(0);
});

test.each(['checking', 'loading'] as const)(
  'given up while %s, nothing is left and what was open stays open',
  async (stage) => {
    const { api, root, bundle } = await openApi();
    const [before, rest] = [await api['case.current']({}), await cases(root)];
    const temporary = await leftOver();
    const stop = new AbortController();
    for await (const event of api['case.load']({ handle: bundle }, { signal: stop.signal }))
      if (event.kind === 'progress' && event.stage === stage) break;
    await expect.poll(() => cases(root)).toEqual(rest);
    await expect.poll(async () => (await leftOver()).filter((name) => !temporary.includes(name))).toEqual([]);
    expect(await api['case.current']({})).toEqual(before);
    // And it can be opened afterwards.
    for await (const event of api['case.load']({ handle: bundle }))
      if (event.kind === 'opened') expect(event.info.name).toBe('test');
    expect((await cases(root)).length).toBe(rest.length + 1);
  },
);

test('a signal that comes too late for the reading is heard before the case is taken', async () => {
  const folder = join(await temporaryFolder(), 'late.faultline');
  const stop = new AbortController();
  const open = async () => {
    const stored = await openCaseFolder(folder, { create: true });
    stop.abort(new Error('enough'));
    return stored;
  };
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'test',
    storage: { open, create: open, recent: async () => [], openRecent: open },
    reader: threadedReader(workerFile),
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => 0n,
  });
  onTestFinished(close);
  const opening = (async () => {
    for await (const event of api['case.load']({ recent: 'it' }, { signal: stop.signal }))
      expect(event.kind).toBe('progress');
  })();
  await opening.catch(() => undefined);
  await expect.poll(() => readdir(dirname(folder))).toEqual([]);
  expect(await api['case.current']({})).toBeNull();
});
