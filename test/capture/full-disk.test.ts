import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { writeDemoFiles } from '../../src/main/demo/index.ts';
import { faultline, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

/** A disk of seven megabytes; null where this user may mount none. */
async function smallDisk(): Promise<string | null> {
  const place = join(await temporaryFolder(), 'disk');
  await mkdir(place);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=7m', 'tmpfs', place]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', place]));
  return place;
}

test('a full disk ends a capture in one line, and what was written is kept', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === null) return skip('this user may mount no file system');
  const folder = await temporaryFolder();
  const plan = join(folder, 'plan.yaml');
  await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
  const child = start('capture', plan, '--case', join(disk, 'full.faultline'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const url = await new Promise<string>((resolve) => {
    let told = '';
    child.stdout?.on('data', (chunk) => {
      told += chunk;
      const address = /http (127\.0\.0\.1:\d+)/.exec(told)?.[1];
      if (address) resolve(`http://${address}/v1/metrics`);
    });
  });
  let code: number | null | undefined;
  void ended.then((exit) => {
    code = exit;
  });
  const files = await writeDemoFiles(folder);
  const lines = String(gunzipSync(await readFile(files[2] as string)))
    .trimEnd()
    .split('\n');
  // Again and again until it is full; what is refused meanwhile does not matter.
  for (let at = 0; code === undefined; at++) {
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers, body: lines[at % lines.length] as string }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(code).toBe(1);
  expect(said).toMatch(/^faultline: there is no space left for this case: .* what was written is kept\n {2}make room/);

  // On the full disk it can be looked at; where there is room it is completed.
  const rows = async (path: string) =>
    JSON.parse((await faultline('query', path, 'select count(*)::integer as n from metrics', '--format', 'json')).out);
  const [{ n }] = await rows(join(disk, 'full.faultline'));
  expect(n).toBeGreaterThan(10_000);
  const roomy = join(folder, 'roomy.faultline');
  await cp(join(disk, 'full.faultline'), roomy, { recursive: true });
  expect(await rows(roomy)).toEqual([{ n }]);
}, 120_000);
