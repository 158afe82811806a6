import { spawnSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { faultline, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

/** A disk of this size in megabytes; null if this user may not mount one. */
async function smallDisk(): Promise<string | null> {
  const place = join(await temporaryFolder(), 'disk');
  await mkdir(place);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=7m', 'tmpfs', place]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', place]));
  return place;
}

/** A capture of a sender on that disk. */
async function captureOn(disk: string) {
  const folder = await temporaryFolder();
  const plan = join(folder, 'plan.yaml');
  await writeFile(plan, 'feeds: [{kind: otlp, name: sender, grpc: null, http: "127.0.0.1:0"}]');
  const child = start('capture', plan, '--case', join(disk, 'full.faultline'));
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => (output.out += chunk));
  child.stderr?.on('data', (chunk) => (output.err += chunk));
  await expect.poll(() => output.out).toMatch(/http 127\.0\.0\.1:\d+/);
  const url = `http://${/http (127\.0\.0\.1:\d+)/.exec(output.out)?.[1]}/v1/logs`;
  const flushedRows: number[] = [];
  let number = 0;
  return {
    folder,
    output,
    /** Numbers of acknowledged requests. */
    kept: flushedRows,
    /** One request. @returns its status */
    send: async (): Promise<number> => {
      const own = number++;
      const logRecords = Array.from({ length: 50 }, (_, at) => ({
        timeUnixNano: `${Date.now()}000000`,
        // Text that compresses badly.
        body: { stringValue: `${own} ${at} ${Array.from({ length: 40 }, () => Math.random().toString(36)).join('')}` },
      }));
      const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
      const { status } = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      if (status === 200) flushedRows.push(own);
      return status;
    },
    end: async (): Promise<number | null> => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** Numbers of requests that are complete in the case. */
async function stored(path: string): Promise<readonly number[]> {
  const sql = `select split_part(body, ' ', 1)::integer as number from log group by 1 having count(distinct split_part(body, ' ', 2)) = 50 and count(*) = 50 order by 1`;
  const rows = JSON.parse((await faultline('query', path, sql, '--format', 'json')).out) as { number: number }[];
  return rows.map(({ number }) => number);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

test('a full disk does not end a capture: senders must wait, and acknowledged rows are written once there is room', async ({
  skip,
}) => {
  const disk = await smallDisk();
  if (disk === null) return skip('this user may mount no file system');
  await writeFile(join(disk, 'ballast'), Buffer.alloc(4 << 20));
  const { output, kept: flushedRows, send, end } = await captureOn(disk);
  // A sender that must wait means that the disk is full.
  for (let status = 200; status === 200; await pause()) status = await send();
  expect(await send()).toBe(429);
  await expect.poll(() => output.err).toMatch(/the disk is full: rows are buffered in memory/);
  await rm(join(disk, 'ballast'));
  await expect.poll(send).toBe(200);
  await expect.poll(() => output.err).toMatch(/there is room again: the buffered rows are written/);
  expect(await end()).toBe(0);
  expect(flushedRows.length).toBeGreaterThan(5);
  expect(await stored(join(disk, 'full.faultline'))).toEqual(flushedRows);
});

test('a capture that ends on a full disk reports the loss, and written rows stay', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === null) return skip('this user may mount no file system');
  const { folder, output, kept, send, end } = await captureOn(disk);
  for (let status = 200; status === 200; await pause()) status = await send();
  expect(await end()).toBe(1);
  const [, lost] =
    /^faultline: no disk space left for this case: the capture has ended, (\d+) rows of sender received since then are lost, written rows are kept\n {2}make room/m.exec(
      output.err,
    ) ?? [];
  // The case can be read on the full disk; it is completed once there is room.
  const numbers = await stored(join(disk, 'full.faultline'));
  expect(numbers.length).toBeGreaterThan(5);
  expect(50 * (kept.length - numbers.length)).toBe(Number(lost));
  expect(kept.slice(0, numbers.length)).toEqual(numbers);
  const roomy = join(folder, 'roomy.faultline');
  await cp(join(disk, 'full.faultline'), roomy, { recursive: true });
  expect(await stored(roomy)).toEqual(numbers);
});
