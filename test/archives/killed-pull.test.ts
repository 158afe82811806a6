import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pullingCore, rowsHash } from '../support/archive-pull.ts';
import { faultline, finished, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { isSamples, samplePlan } from '../support/sample-answers.ts';
import { sampleArchive } from '../support/sample-archive.ts';

const WINDOW = ['--from', '2026-05-01T14:00:00Z', '--to', '2026-05-01T14:15:00Z'];
/** Of its standard output: each ends a whole slice. */
const KILLED_AFTER = [1, 4, 9];

async function hashOf(path: string): Promise<string> {
  const core = await pullingCore(path);
  const hash = await rowsHash(core);
  await core.close();
  return hash;
}

test('kill -9 at moments of a pull: the case opens with whole slices, and the next pull makes it as an undisturbed one', async () => {
  const archive = await sampleArchive();
  const folder = await temporaryFolder();
  const plan = join(folder, 'archive.yaml');
  await writeFile(plan, samplePlan(archive.url));
  const undisturbed = join(folder, 'undisturbed.faultline');
  expect(await faultline('pull', undisturbed, plan, ...WINDOW)).toMatchObject({ code: 0 });
  const wanted = await hashOf(undisturbed);

  const killed = join(folder, 'killed.faultline');
  for (const lines of KILLED_AFTER) {
    const child = start('pull', killed, plan, ...WINDOW);
    const exited = once(child, 'close');
    let out = '';
    child.stdout!.on('data', (chunk) => {
      out += chunk;
      if (out.split('imported').length > lines) child.kill('SIGKILL');
    });
    await exited;
    const core = await pullingCore(killed);
    const { rows } = await core.api['query.sql']({
      sql: 'select count(*)::integer, (select count(*) from pulled)::integer, (select count(*) from source)::integer from metrics',
    });
    const [samples, slices, sources] = rows[0] as number[];
    expect(slices).toBeGreaterThanOrEqual(1);
    expect([samples, sources]).toEqual([20 * slices!, slices]);
    await core.close();
  }
  expect(await faultline('pull', killed, plan, ...WINDOW)).toMatchObject({ code: 0 });
  expect(await hashOf(killed)).toBe(wanted);
});

test('Ctrl-C keeps whole slices and does not claim otherwise', async () => {
  const archive = await sampleArchive((_, response, body) => {
    if (!isSamples(body) || !body.includes('1777644179')) return false;
    setTimeout(() => response.end(), 30_000).unref();
    return true;
  });
  const folder = await temporaryFolder();
  const plan = join(folder, 'archive.yaml');
  await writeFile(plan, samplePlan(archive.url, 'parallel: 1\n'));
  const child = start('pull', join(folder, 'stopped.faultline'), plan, ...WINDOW);
  let out = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
    if (out.split('imported').length > 2) child.kill('SIGINT');
  });
  const ended = await finished(child);
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.err).toContain('cancelled after 2 slices');
});
