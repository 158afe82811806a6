import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFeeds, feeds } from '../../src/main/capture/index.ts';
import type { FeedTestEvent } from '../../src/model/storage/feed.ts';
import { temporaryFolder } from '../support/core.ts';
import { runFeed } from '../support/feed-run.ts';

const planOf = (settings: object): string => `feeds: [${JSON.stringify(settings)}]`;
const tail = (folder: string, more: object = {}): string =>
  planOf({ kind: 'log-tail', folder, zone: 'UTC', every_s: 0.1, ...more });

async function logs(): Promise<string> {
  const folder = join(await temporaryFolder(), 'llm logs');
  await mkdir(folder);
  await writeFile(join(folder, 'train.log'), '2026-05-01 14:00:00,000 - trainer - INFO - before\n');
  return folder;
}

const formOf = (windows: ReturnType<typeof createFeeds>, kind: string, path: string) =>
  windows.kinds.find((one) => one.kind === kind)?.fields.find((field) => field.path === path);

describe('a folder that the investigator offered', () => {
  test('is one of a choice in the form, and is followed', async () => {
    const windows = createFeeds(false);
    expect(formOf(windows, 'log-tail', 'folder')).toMatchObject({ type: 'folder', isOptional: false, choices: [] });
    expect(windows.readPlan('feeds: [{kind: log-tail}]').problems).toEqual([
      { feed: 0, path: 'folder', message: 'is needed' },
    ]);
    const folder = await logs();
    const reference = await windows.watchFolder(folder);
    expect(reference).toBe('watch:llm-logs');
    expect(formOf(windows, 'log-tail', 'folder')).toMatchObject({ choices: [reference] });
    expect(formOf(windows, 'log-tail', 'files')).toMatchObject({ type: 'text', fallback: '*.log' });
    const plan = tail(reference, { files: 'tr*.log' });
    expect(windows.readPlan(plan).problems).toEqual([]);
    const [feed] = await windows.open(plan);
    const run = await runFeed(feed!, async (one) => {
      await one.until(({ states }) => states.some(({ state }) => state === 'up'));
      await appendFile(join(folder, 'train.log'), '2026-05-01 14:00:01,000 - trainer - INFO - step 1\n');
      await one.until(({ reading }) => reading.rows.log.length > 0);
    });
    expect(run.reading.rows.log.map(({ body }) => body)).toEqual(['step 1']);
  });

  test('has a name, and nothing in the window states where it is', async () => {
    const windows = createFeeds(false);
    const folder = await logs();
    const reference = await windows.watchFolder(folder);
    const [feed] = await windows.open(tail(reference, { files: 'none-*' }));
    const run = await runFeed(feed!, (one) => one.until(({ states }) => states.length > 0));
    const checks: FeedTestEvent[] = [];
    for await (const check of windows.test(tail(reference), new AbortController().signal)) checks.push(check);
    expect(feed!.about).toBe(`${reference}, none-*`);
    expect(checks.at(-1)).toMatchObject({ kind: 'tested', passed: true });
    expect(JSON.stringify(checks)).toContain(reference);
    const shown = JSON.stringify([feed!.about, run.states, checks, windows.kinds]);
    expect(shown).not.toContain(folder);
    expect(shown).not.toContain(basename(join(folder, '..')));
  });

  test('the same folder has one name, another of that name has one of its own', async () => {
    const windows = createFeeds(false);
    const [one, other] = [await logs(), await logs()];
    await symlink(one, join(other, '..', 'link'));
    const first = await windows.watchFolder(one);
    expect(await windows.watchFolder(join(other, '..', 'link'))).toBe(first);
    expect(await windows.watchFolder(other)).toBe('watch:llm-logs-2');
  });
});

describe('a plan of a window reaches no other folder', () => {
  test.each([
    tail('watch:logs'),
    tail('/var/log'),
    planOf({ kind: 'flight-recorder', files: '*' }),
    planOf({ kind: 'flight-recorder', folder: '/tmp', files: '*' }),
    planOf({ kind: 'kernel-log', path: 'watch:llm-logs' }),
    planOf({ kind: 'nvml', library: 'watch:llm-logs' }),
  ])('%s', async (plan) => {
    const windows = createFeeds(false);
    await windows.watchFolder(await logs());
    expect(windows.readPlan(plan).problems).not.toEqual([]);
    await expect(windows.open(plan)).rejects.toMatchObject({ problem: { code: 'plan.names_files' } });
  });

  test('nor one that nobody can watch', async () => {
    const windows = createFeeds(false);
    const folder = await logs();
    await expect(windows.watchFolder('/')).rejects.toThrow(/cannot be watched: it is no folder below the root/);
    await expect(windows.watchFolder(join(folder, 'train.log'))).rejects.toThrow(/train\.log cannot be watched/);
    await expect(windows.watchFolder(join(folder, 'gone'))).rejects.toThrow(/gone cannot be watched: does not exist/);
  });

  test('on the command line a path is written out', async () => {
    await expect(feeds.open(tail('watch:logs'))).rejects.toThrow(/write its path in a plan for the command line/);
  });
});
