import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FoundItem } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';

const kernelLine = (address: string) => `[    1.0] NVRM: Xid (PCI:0000:${address}:00): 79, pid=1, GPU has fallen off\n`;

async function inspected(
  core: TestCore,
  paths: readonly string[],
): Promise<{ inspection: string; sources: FoundItem[] }> {
  const handles = await Promise.all(paths.map(core.register));
  for await (const found of core.api['import.inspect']({ handles })) if (found.kind === 'found') return found;
  throw new Error('the inspection returned nothing');
}

async function twoLogs(): Promise<{ folder: string; logs: string[] }> {
  const folder = await temporaryFolder();
  const logs = ['a', 'b'].map((name) => join(folder, name, 'dmesg.log'));
  for (const [i, log] of logs.entries()) {
    await mkdir(join(log, '..'));
    await writeFile(log, kernelLine(`${i + 3}b`));
  }
  return { folder, logs };
}

test('files of one name from two folders, or twice in one archive, are all read', async () => {
  const { folder, logs } = await twoLogs();
  const zip = join(folder, 'twice.zip');
  const script =
    'import sys,warnings,zipfile; warnings.simplefilter("ignore"); z=zipfile.ZipFile(sys.argv[1],"w"); [z.write(f,"dmesg.log") for f in sys.argv[2:]]; z.close()';
  execFileSync('python3', ['-c', script, zip, ...logs]);
  for (const dropped of [logs, [zip]]) {
    const core = await openTestCore();
    await core.import(dropped);
    expect((await core.api['case.current']({}))?.rows).toMatchObject({ event: 2 });
  }
});

test('one member of a zip that cannot be unpacked, or is called to lead out, costs only itself', async () => {
  const { folder, logs } = await twoLogs();
  const zip = join(folder, 'odd.zip');
  const script =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1],"w"); z.write(sys.argv[2],"a.log",zipfile.ZIP_LZMA); z.write(sys.argv[2],"../../b.log"); z.write(sys.argv[3],"c.log"); z.close()';
  execFileSync('python3', ['-c', script, zip, ...logs]);
  const { sources } = await inspected(await openTestCore(), [zip]);
  expect(sources.map(({ name, format, problem }) => [name, format ?? problem?.code])).toEqual([
    ['odd.zip/b.log', 'kernel-log'],
    ['odd.zip/c.log', 'kernel-log'],
    ['odd.zip/a.log', 'archive.method'],
  ]);
});

test('a file that vanishes after it was looked at fails alone, whatever is asked of it', async () => {
  const { logs } = await twoLogs();
  const core = await openTestCore(undefined, { threads: true });
  const { inspection } = await inspected(core, logs);
  await rm(logs[0]!);
  await expect(core.api['import.columns']({ inspection, item: 0, format: 'parquet' })).rejects.toMatchObject({
    problem: { code: 'file.unreadable' },
  });
  const progressEvents = [];
  for await (const step of core.api['import.run']({ inspection })) progressEvents.push(step);
  expect(progressEvents[0]).toMatchObject({ kind: 'problem', problem: { code: 'file.unreadable' } });
  expect(progressEvents.at(-1)).toMatchObject({ kind: 'done', imported: 1, failed: 1 });
});

test('a tree read as a format of one file is refused, not read in part', async () => {
  const folder = join(import.meta.dirname, '../../fixtures/flight-recorder/hang-rank5-protocol4');
  const core = await openTestCore();
  const handle = await core.register(folder);
  const steps = [];
  for await (const step of core.api['import.run']({ handles: [handle], format: 'kernel-log' })) steps.push(step);
  expect(steps[0]).toMatchObject({ kind: 'problem', problem: { code: 'file.several' } });
});

test('clocks that leave 64 bits are refused, and samples centuries apart are no crash', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'far.prom');
  const gauge = 'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-11111111-2222-3333-4444-555555555555"}';
  const head = '# HELP DCGM_FI_DEV_XID_ERRORS x\n# TYPE DCGM_FI_DEV_XID_ERRORS gauge\n';
  await writeFile(file, `${head}${gauge} 0 -9223372036000\n${gauge} 79 9223372036854\n${gauge} 79 1700000000000\n`);
  const core = await openTestCore();
  const handle = await core.register(file);
  const run = async (offset_s: number) => {
    const steps = [];
    for await (const step of core.api['import.run']({
      handles: [handle],
      clocks: { 'far.prom': { offset_s, uncertainty_s: 0 } },
    }))
      if (step.kind !== 'progress') steps.push(step);
    return steps;
  };
  await expect(run(1e30)).rejects.toMatchObject({ problem: { code: 'clock.out_of_range' } });
  expect((await run(2))[0]).toMatchObject({ kind: 'problem', problem: { code: 'clock.out_of_range' } });
  expect((await run(0)).at(-1)).toMatchObject({ kind: 'done', imported: 1 });
});

test('an inspection that is cancelled while it unpacks leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'many'));
  for (let i = 0; i < 3000; i++) await writeFile(join(folder, 'many', `${i}.log`), kernelLine('3b'));
  execFileSync('tar', ['cf', 'many.tar', 'many'], { cwd: folder });
  const before = process.env.TMPDIR;
  const temporary = await temporaryFolder();
  process.env.TMPDIR = temporary;
  onTestFinished(() => {
    process.env.TMPDIR = before ?? '/tmp';
  });
  const core = await openTestCore(undefined, { threads: true });
  const handle = await core.register(join(folder, 'many.tar'));
  for (let round = 0; round < 3; round++)
    for await (const step of core.api['import.inspect']({ handles: [handle] })) if (step.kind === 'progress') break;
  const left = async () => (await readdir(temporary)).filter((name) => name.startsWith('faultline-import-'));
  await expect.poll(left).toEqual([]);
});
