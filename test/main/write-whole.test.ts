import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeWhole } from '../../src/main/disk/write-whole.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { event } from '../support/scenario.ts';

/** A disk of one megabyte; null where this user may mount none. */
async function smallDisk(): Promise<string | null> {
  const place = join(await temporaryFolder(), 'disk');
  await mkdir(place);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', place]));
  return place;
}

test('a file that does not fit leaves what was there, and nothing half-written', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === null) return skip('this user may mount no file system');
  const path = join(disk, 'report.md');
  await expect(writeWhole(path, 'x'.repeat(2e6))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(disk)).toEqual([]);
  await writeWhole(path, 'whole');
  await expect(writeWhole(path, 'x'.repeat(2e6))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect([await readdir(disk), await readFile(path, 'utf8')]).toEqual([['report.md'], 'whole']);
});

test('links stay links, permissions stay, and what is no file is written to', async () => {
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, 'a.md'), join(folder, 'link.md')];
  await writeFile(path, 'before');
  await chmod(path, 0o600);
  await symlink(path, link);
  await writeWhole(link, 'after');
  expect([(await lstat(link)).isSymbolicLink(), await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(
    [true, 'after', 0o600],
  );
  await writeWhole('/dev/null', 'gone');
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  expect((await readdir(folder)).sort()).toEqual(['a.md', 'link.md']);
});

test('a report and a table on a full disk are not there at all', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === null) return skip('this user may mount no file system');
  const folder = await temporaryFolder();
  const path = join(folder, 'c.faultline');
  const file = join(folder, 'events.json');
  const events = Array.from({ length: 500 }, (_, i) => event(`e${i}`, 690 + i, 'pdu_snmp', 'voltage_sag', `PDU-${i}`));
  await writeFile(file, JSON.stringify({ events }));
  await faultline('import', path, file);
  await writeFile(join(disk, 'filler'), 'x'.repeat(2e6)).catch(() => undefined);
  for (const args of [
    ['report', path, '--out', join(disk, 'report.md')],
    ['export', path, '--csv', 'events', '--out', join(disk, 'events.csv')],
    ['export', path, '--perfetto', join(disk, 'trace.json')],
  ]) {
    const { code, err } = await faultline(...args);
    expect([args[0], code, err.includes('    at ')]).toEqual([args[0], 1, false]);
    expect(await readdir(disk)).toEqual(['filler']);
  }
});
