import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { logTailFeed } from '../../src/main/capture/log-tail/index.ts';
import type { Feed, FeedCheck } from '../../src/model/storage/feed.ts';
import { temporaryFolder } from '../support/core.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';

const planOf = (folder: string, more: object = {}) =>
  logTailFeed.plan.parse({ kind: 'log-tail', folder, every_s: 0.1, zone: 'UTC', ...more });
const line = (text: string, second = 0): string =>
  `2026-05-01 14:00:${String(second).padStart(2, '0')},000 - trainer - INFO - ${text}\n`;
const bodies = ({ reading }: FeedRun): string[] => reading.rows.log.map(({ body }) => String(body));
const isUp = ({ states }: FeedRun): boolean => states.some(({ state }) => state === 'up');
const has = (count: number) => (run: FeedRun) => run.reading.rows.log.length >= count;

async function logs(texts: Readonly<Record<string, string | Uint8Array>> = {}) {
  const folder = await temporaryFolder();
  const at = (name: string): string => join(folder, name);
  for (const [name, text] of Object.entries(texts)) await writeFile(at(name), text);
  return { folder, at };
}

const follow = (folder: string, whileRunning: (run: FeedRun) => Promise<void>, more: object = {}) =>
  runFeed(logTailFeed.open(planOf(folder, more)), whileRunning);

describe('lines as they are written', () => {
  test('are records of the importer; the last line waits for its end, a stack trace for its lines', async () => {
    const { folder, at } = await logs({ 'train.log': line('before the capture') });
    const run = await follow(folder, async (one) => {
      await one.until(isUp);
      await appendFile(at('train.log'), `${line('step 1')}${line('step 2', 1).slice(0, 40)}`);
      await one.until(has(1));
      expect(bodies(one)).toEqual(['step 1']);
      await appendFile(at('train.log'), line('step 2', 1).slice(40));
      await one.until(has(2));
      await appendFile(at('train.log'), `${line('it failed', 2)}Traceback (most recent call last):\n`);
      await appendFile(at('train.log'), `  File "a.py", line 1\nValueError: no\n${line('after', 3)}`);
      await one.until(has(4));
    });
    expect(bodies(run)).toEqual([
      'step 1',
      'step 2',
      'it failed\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: no',
      'after',
    ]);
    expect(run.reading.rows.reject).toEqual([]);
  });

  test('what a file holds already can be read, too, from the start of a line', async () => {
    const { folder } = await logs({ 'a.log': line('one') + line('two', 1) });
    const all = await follow(folder, (one) => one.until(has(2)), { before_mb: 1 });
    expect(bodies(all)).toEqual(['one', 'two']);
    const some = await follow(folder, (one) => one.until(has(1)), { before_mb: 60 / 1024 / 1024 });
    expect(bodies(some)).toEqual(['two']);
  });

  test('bytes that are no UTF-8, and a line without an end, cost only themselves', async () => {
    const { folder, at } = await logs({ 'a.log': '' });
    const run = await follow(folder, async (one) => {
      await one.until(isUp);
      await appendFile(at('a.log'), Buffer.concat([Buffer.from(line('a').trimEnd()), Buffer.from([0xff, 0xfe, 0x0a])]));
      await appendFile(at('a.log'), Buffer.alloc(3 * 1024 * 1024, 'x'));
      await appendFile(at('a.log'), `\n${line('b', 1)}2026-05-01 14:00:02,000 - trainer`);
      await one.until(has(2));
    });
    expect(bodies(run)).toEqual(['a\uFFFD\uFFFD', 'b']);
    // The long line, and the one that had not ended.
    expect(run.lost()).toBe(2);
  });

  test('kernel lines and watchdogs are events; a file that appears later is read from its start', async () => {
    const { folder, at } = await logs();
    const watchdog =
      '2026-05-01 14:20:00,000 - trainer - ERROR - [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600042 milliseconds before timing out.\n';
    const kernel = 'May  1 14:00:01 node-3 kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.\n';
    const run = await follow(folder, async (one) => {
      await one.until(({ states }) => states.some(({ reason }) => /^no \*\.log in .* yet$/.test(reason)));
      await writeFile(at('rank.log'), watchdog);
      await writeFile(at('kernel.log'), kernel.repeat(2));
      await one.until(({ reading }) => reading.rows.event.length >= 3);
    });
    expect(run.reading.rows.event.map(({ type, entity }) => `${type} ${entity}`).sort()).toEqual([
      'collective_timeout rank:rank-3',
      'xid_error gpu:node-3/pci-0000:9b:00',
      'xid_error gpu:node-3/pci-0000:9b:00',
    ]);
  });
});

describe('rotation', () => {
  test('by renaming: the rest of the old file is read, also after its name is gone, and the new one from its start', async () => {
    const { folder, at } = await logs({ 'a.log': line('0') });
    const run = await follow(folder, async (one) => {
      await one.until(isUp);
      await appendFile(at('a.log'), line('1', 1));
      await one.until(has(1));
      await rename(at('a.log'), at('a.log.1'));
      await appendFile(at('a.log.1'), line('2', 2));
      await writeFile(at('a.log'), line('3', 3));
      await one.until(has(3));
    });
    expect(bodies(run).sort()).toEqual(['1', '2', '3']);
  });

  test.each(['*.log', '*.log*'])('by copying and emptying: nothing twice, with the pattern %s', async (files) => {
    const { folder, at } = await logs({
      'a.log': line('first of the old log, which is long enough to be known by it'),
    });
    const run = await follow(
      folder,
      async (one) => {
        await one.until(isUp);
        await appendFile(at('a.log'), line('1', 1));
        await one.until(has(1));
        await copyFile(at('a.log'), at('a.log.1'));
        await truncate(at('a.log'));
        await appendFile(at('a.log'), line('2', 2));
        await one.until(has(2));
        await appendFile(at('a.log'), line('3', 3));
        await one.until(has(3));
      },
      { files },
    );
    expect(bodies(run)).toEqual(['1', '2', '3']);
  });

  test('an old log that is compressed is left out, and counted', async () => {
    const { folder } = await logs({ 'a.log': line('1'), 'b.log': gzipSync(line('2')) });
    const run = await follow(folder, (one) => one.until(isUp), { before_mb: 1 });
    expect(run.states[0]?.reason).toBe('1 files; left out: 1 compressed or binary');
  });
});

test('a feed that is run again goes on where it was, also with what was written meanwhile', async () => {
  const { folder, at } = await logs({ 'a.log': line('0') });
  const feed: Feed = logTailFeed.open(planOf(folder));
  const first = await runFeed(feed, async (one) => {
    await one.until(isUp);
    await appendFile(at('a.log'), line('1', 1));
    await one.until(has(1));
  });
  await appendFile(at('a.log'), line('2', 2));
  await writeFile(at('b.log'), line('3', 3));
  const second = await runFeed(feed, (one) => one.until(has(2)));
  expect([bodies(first), bodies(second).sort()]).toEqual([['1'], ['2', '3']]);
});

test('while there is no room nothing is read on, and nothing is lost', async () => {
  const { folder, at } = await logs({ 'a.log': '' });
  const run = await follow(folder, async (one) => {
    await one.until(isUp);
    one.isFull = true;
    for (let block = 0; block < 100; block++)
      await appendFile(at('a.log'), Array.from({ length: 100 }, (_, i) => line(`${block * 100 + i}`)).join(''));
    one.isFull = false;
    await one.until(has(10_000), 20_000);
  });
  expect(bodies(run)).toEqual(Array.from({ length: 10_000 }, (_, i) => String(i)));
  expect(run.lost()).toBe(0);
});

test('what a capture that ends had not read yet is stated, not lost', async () => {
  const { folder } = await logs({ 'a.log': line('x'.repeat(1000)).repeat(20_000) });
  const run = await follow(folder, (one) => one.until(has(1)), { before_mb: 100 });
  expect(run.reading.remarks).toContainEqual(expect.stringMatching(/^a\.log: \d+ bytes had not been read when/));
  expect(run.lost()).toBe(0);
});

test('links out of the folder, pipes and too many files are left out, and counted; a folder that is gone is down', async () => {
  const other = await logs({ 'secret.log': line('secret') });
  const { folder, at } = await logs({ 'a.log': line('1'), 'b.log': line('2'), 'c.log': line('3') });
  await symlink(other.at('secret.log'), at('0.log'));
  execFileSync('mkfifo', [at('1.log')]);
  await mkdir(at('2.log'));
  const run = await follow(folder, (one) => one.until(isUp), { before_mb: 1, most_files: 2 });
  expect(run.states[0]?.reason).toBe(
    '2 files; left out: 1 beyond the 2 files that the plan allows, 1 links that lead out of the folder, 1 pipes, devices and sockets',
  );
  expect(JSON.stringify(bodies(run))).not.toContain('secret');
  const gone = await follow(at('nowhere'), (one) => one.until(({ states }) => states.length > 0));
  expect(gone.states).toEqual([{ state: 'down', reason: `${at('nowhere')} does not exist` }]);
});

test('it can be tried before a capture', async () => {
  const tried = async (folder: string) => {
    const checks: FeedCheck[] = [];
    for await (const check of logTailFeed.test(planOf(folder), AbortSignal.timeout(5000))) checks.push(check);
    return checks.map(({ step, passed, detail }) => `${step} ${passed} ${detail.replace(folder, 'F')}`);
  };
  const { folder, at } = await logs({ 'a.log': line('1'), 'b.log': gzipSync('x') });
  expect(await tried(folder)).toEqual([
    'view true F can be read, 2 files are called *.log; left out: 1 compressed or binary',
    'values true 1 of them are text',
  ]);
  expect(await tried(at('nowhere'))).toEqual(['view false F does not exist']);
});
