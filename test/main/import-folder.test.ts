import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { capturedAt } from '../../src/main/sources/files/captured-at.ts';
import type { FoundItem } from '../../src/model/contract/index.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { cli } from '../support/command-line.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { event, topology } from '../support/scenario.ts';

const events = JSON.stringify({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });

/** A bundle as a colleague would hand it over: telemetry, a stranger, an empty file, a link. */
async function bundle(): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'bundle');
  await mkdir(join(path, 'rack 14'), { recursive: true });
  await writeFile(join(path, 'events.json.gz'), gzipSync(events));
  await writeFile(join(path, 'rack 14', 'topology.json'), JSON.stringify(topology));
  await writeFile(join(path, 'README.md'), '# what happened\n');
  await writeFile(join(path, 'empty.log'), '');
  await symlink('/etc/passwd', join(path, 'link.json'));
  return { folder, path };
}

async function inspect(core: TestCore, path: string): Promise<{ inspection: string; sources: FoundItem[] }> {
  const handle = await core.register(path);
  for await (const found of core.api['import.inspect']({ handles: [handle] })) if (found.kind === 'found') return found;
  throw new Error('the inspection returned nothing');
}

const brief = (items: readonly FoundItem[]) =>
  items.map(({ name, format, problem }) => [name, format ?? problem?.code]);

/** From here on temporary files of this test lie in a folder of their own, so that what is left behind shows. */
async function ownTemporaryFolder(): Promise<string> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = await temporaryFolder();
  onTestFinished(() => {
    process.env.TMPDIR = before ?? '/tmp';
  });
  return process.env.TMPDIR;
}

const packs: readonly (readonly [string, readonly string[]])[] = [
  ['bundle', []],
  ['bundle.tar.gz', ['tar', 'czf', 'bundle.tar.gz', 'bundle']],
  ['bundle.zip', ['python3', '-m', 'zipfile', '-c', 'bundle.zip', 'bundle']],
];

test.each(packs)('%s is listed file by file before any import', async (name, [command, ...rest]) => {
  const { folder } = await bundle();
  if (command) execFileSync(command, rest, { cwd: folder });
  const core = await openTestCore();
  const { inspection, sources } = await inspect(core, join(folder, name));
  const inside = name === 'bundle' ? 'bundle' : `${name}/bundle`;
  // Python's zipfile follows the link and packs its target; an archived link is listed, and never followed.
  const packedLink = ([file]: readonly unknown[]) => String(file).includes('link.json');
  if (name !== 'bundle.zip')
    expect(sources.find(({ problem }) => problem?.code === 'file.not_regular')?.problem?.message).toContain(
      'link.json',
    );
  const known = brief(sources).filter((one) => !packedLink(one) && one[1] !== 'file.not_regular');
  expect(known.sort()).toEqual(
    [
      [`${inside}/events.json.gz`, 'powertrace'],
      [`${inside}/rack 14/topology.json`, 'powertrace'],
      [`${inside}/README.md`, 'file.unknown_format'],
      [`${inside}/empty.log`, 'file.empty'],
    ].sort(),
  );
  expect(await core.api['case.current']({})).toBeNull();
  const progressEvents = [];
  for await (const step of core.api['import.run']({ inspection })) progressEvents.push(step);
  expect(progressEvents.at(-1)).toMatchObject({ kind: 'done', imported: 2, failed: 0 });
  const info = await core.api['case.current']({});
  expect(info?.rows).toMatchObject({ event: 1 });
  expect(info?.sources.map((source) => source.name).join()).not.toContain(folder);
});

test('a choice is obeyed, and what was unpacked is removed', async () => {
  const { folder } = await bundle();
  const temporary = await ownTemporaryFolder();
  execFileSync('tar', ['czf', 'b.tar.gz', 'bundle'], { cwd: folder });
  const core = await openTestCore();
  const { inspection, sources } = await inspect(core, join(folder, 'b.tar.gz'));
  const choices = sources.map(({ item, format }) => ({ item, skip: format === null, offset_s: 2 }));
  for await (const _ of core.api['import.run']({ inspection, choices }));
  const info = await core.api['case.current']({});
  expect(info?.sources.map(({ clock_offset_ns }) => clock_offset_ns)).toEqual([2_000_000_000n, 2_000_000_000n]);
  expect((await readdir(temporary)).filter((name) => name.startsWith('faultline-import-'))).toEqual([]);
  await expect(async () => {
    for await (const _ of core.api['import.run']({ inspection }));
  }).rejects.toMatchObject({ problem: { code: 'import.unknown_inspection' } });
});

test('files of Redfish trees that are named one by one are the trees of their machines', async () => {
  const folder = await temporaryFolder();
  const handles = [];
  const core = await openTestCore();
  for (const place of ['bmc-a/Chassis/1', 'bmc-a/Chassis/1/Power', 'bmc-b/redfish/v1/Chassis/1/Power']) {
    const address = `/redfish/v1/${place.slice(place.indexOf('Chassis'))}`;
    const supply = { MemberId: '0', Name: 'PSU1', PowerInputWatts: 310, Status: { State: 'Enabled', Health: 'OK' } };
    const chassis = { '@odata.id': address, '@odata.type': '#Chassis.v1_14_0.Chassis', Id: '1', Name: 'Chassis' };
    const power = { ...chassis, '@odata.type': '#Power.v1_5_0.Power', PowerSupplies: [supply] };
    await mkdir(join(folder, place), { recursive: true });
    await writeFile(join(folder, place, 'index.json'), JSON.stringify(place.endsWith('Power') ? power : chassis));
    handles.push(await core.register(join(folder, place, 'index.json')));
  }
  for await (const found of core.api['import.inspect']({ handles })) {
    if (found.kind !== 'found') continue;
    expect(brief(found.sources)).toEqual([
      ['bmc-a', 'redfish'],
      ['bmc-b/redfish/v1/Chassis/1/Power/index.json', 'redfish'],
    ]);
    for await (const _ of core.api['import.run']({ inspection: found.inspection }));
  }
  const sql = "select string_agg(id, ' ' order by id) from entity";
  const { rows } = await core.api['query.sql']({ sql, limit: 1 });
  expect(String(rows[0])).toMatch(/^bmc-a.* bmc-b/);
  expect(String(rows[0])).not.toContain('index');
});

test('a file that was named and is unknown is refused with what it looks like and the nearest formats', async () => {
  const { path } = await bundle();
  const core = await openTestCore();
  const steps = await core.import([join(path, 'README.md')]);
  expect(steps[0]).toMatchObject({ kind: 'problem', problem: { code: 'file.unknown_format' } });
  expect(JSON.stringify(steps[0])).toContain('it looks like text');
  expect(steps.at(-1)).toMatchObject({ imported: 0, failed: 1, skipped: 0 });
});

test('a broken archive keeps the files before the damage, with a message', async () => {
  const { folder } = await bundle();
  const noise = Buffer.from(Array.from({ length: 400_000 }, () => Math.floor(Math.random() * 256)));
  await writeFile(join(folder, 'bundle', 'zz-noise.bin'), noise);
  const whole = execFileSync('tar', ['czf', '-', '--sort=name', 'bundle'], { cwd: folder, maxBuffer: 1 << 26 });
  await writeFile(join(folder, 'cut.tgz'), whole.subarray(0, whole.length - 200_000));
  const core = await openTestCore();
  const { sources } = await inspect(core, join(folder, 'cut.tgz'));
  expect(brief(sources)).toContainEqual(['cut.tgz/bundle/events.json.gz', 'powertrace']);
  expect(brief(sources)).toContainEqual(['cut.tgz', 'archive.broken']);
});

test('a member whose name leads out of the archive stays inside', async () => {
  const { folder } = await bundle();
  await writeFile(join(folder, 'evil.json'), events);
  execFileSync('tar', ['cPf', 'evil.tar', '--transform', 's,^,../../../../tmp/,', 'evil.json'], { cwd: folder });
  const core = await openTestCore();
  const { sources } = await inspect(core, join(folder, 'evil.tar'));
  expect(brief(sources)).toEqual([['evil.tar/tmp/evil.json', 'powertrace']]);
});

test('the time in a name is when its content was recorded', () => {
  const at = (name: string) => formatUtc(nanos(capturedAt(name, 0).captured_ns));
  expect(at('walk-2026-07-03T22-10-46.109.snmprec')).toBe('2026-07-03T22:10:46.109Z');
  expect(at('scrape_20260703_221046.prom')).toBe('2026-07-03T22:10:46.000Z');
  expect(at('2026-07-03T22:10:46+02:00/intel-rapl:0/energy_uj')).toBe('2026-07-03T20:10:46.000Z');
  expect(at('metrics.1767225600.txt')).toBe('2026-01-01T00:00:00.000Z');
  expect(at('metrics.1767225600250.txt')).toBe('2026-01-01T00:00:00.250Z');
  expect(capturedAt('node-20269999_999999.log', 5).captured_from).toBe('file time');
});

test('what was committed before a cancellation is known to the case at once', async () => {
  const { folder } = await bundle();
  const core = await openTestCore();
  await core.import([join(folder, 'bundle', 'rack 14', 'topology.json')]);
  const before = (await core.api['timeline.lanes']({})).length;
  const large = join(folder, 'large.csv');
  const rows = Array.from({ length: 400_000 }, (_, i) => `server,s${i},contains,gpu,g${i},,`).join('\n');
  await writeFile(large, `from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\n${rows}\n`);
  const handles = [await core.register(join(folder, 'bundle', 'events.json.gz')), await core.register(large)];
  for await (const step of core.api['import.run']({ handles })) if (step.kind === 'source') break;
  expect((await core.api['timeline.lanes']({})).length).toBeGreaterThan(before);
});

test('a file that turns out unreadable makes no case', async () => {
  const core = await openTestCore();
  const steps = await core.import([join(import.meta.dirname, '../../fixtures/parquet-unknown/plain.parquet')]);
  expect(steps[0]).toMatchObject({ kind: 'problem', problem: { code: 'parquet.unmapped' } });
  expect(await core.api['case.current']({})).toBeNull();
});

test('archives nested too deeply get their own message, and unknown files do not repeat the expected formats', async () => {
  const { folder } = await bundle();
  execFileSync('tar', ['cf', 'n1.tar', 'bundle'], { cwd: folder });
  for (let i = 2; i <= 7; i++) execFileSync('tar', ['cf', `n${i}.tar`, `n${i - 1}.tar`], { cwd: folder });
  const core = await openTestCore();
  const { sources } = await inspect(core, join(folder, 'n7.tar'));
  expect(sources.map(({ problem }) => problem?.code)).toEqual(['archive.too_deep']);
  const shallow = await inspect(core, join(folder, 'n1.tar'));
  expect(shallow.sources.find(({ name }) => name.endsWith('README.md'))?.problem?.hint).toBeUndefined();
});

test('what a killed import left behind a day ago is removed by the next', async () => {
  const temporary = await ownTemporaryFolder();
  const [old, young] = ['faultline-import-old', 'faultline-import-young'].map((name) => join(temporary, name)) as [
    string,
    string,
  ];
  await mkdir(old);
  await mkdir(young);
  await utimes(old, 1, 1);
  const child = join(temporary, 'events.json');
  await writeFile(child, events);
  const environment = { ...process.env, TMPDIR: temporary };
  execFileSync(process.execPath, [cli, 'import', join(temporary, 'c.faultline'), child], { env: environment });
  expect((await readdir(temporary)).filter((name) => name.startsWith('faultline-import-'))).toEqual([
    'faultline-import-young',
  ]);
});
