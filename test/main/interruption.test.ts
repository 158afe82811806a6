import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { faultline, finished, start } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { writeParquetOf } from '../support/parquet-of.ts';
import { event } from '../support/scenario.ts';

const program = join(import.meta.dirname, '../../src/main/interruption.ts');

/** A process whose orderly end takes longer than the grace of those that hang. */
const slowToEnd = (prepare: string): string => `
  const { interruption } = await import(${JSON.stringify(program)});
  const stop = interruption();
  ${prepare}
  const alive = setInterval(() => undefined, 1000);
  stop.signal.addEventListener('abort', () => setTimeout(() => { console.log('summary'); process.exit(0); }, 4500));
  console.log('ready');`;

test.each([
  ['is given the time that it takes', 'stop.waitForEnd();', 0, 'ready\nsummary\n'],
  ['is ended where nobody asked for more', '', null, 'ready\n'],
])('an orderly end that takes long %s', async (_, prepare, code, out) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', slowToEnd(prepare)]);
  const ended = finished(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code, out });
});

test.each([
  ['twice at once is one Ctrl-C, handed on by npm', 'SIGINT', 0, 0, 'ready\nsummary\n'],
  ['twice is two, and the second ends it', 'SIGINT', 1000, null, 'ready\n'],
  ['by a terminal and later by a launcher is one', 'SIGTERM', 1000, 0, 'ready\nsummary\n'],
] as const)('output %s', async (_, second, between_ms, code, out) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', slowToEnd('stop.waitForEnd();')]);
  const ended = finished(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, between_ms));
  child.kill(second);
  expect(await ended).toMatchObject({ code, out });
});

test('a cancelled import reports which files are in the case', async () => {
  const folder = await temporaryFolder();
  const [small, large] = [join(folder, 'events.json'), join(folder, 'spans.parquet')];
  await writeFile(small, JSON.stringify({ events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] }));
  await writeParquetOf(
    large,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' || (i % 9) as name,
      1700000000000000000 + i as start_ns, 5 as duration_ns, 'service-' || (i % 4) as service, '{"k":"' || md5(i::varchar) || '"}' as attributes
     from range(3000000) r(i)`,
  );
  const path = join(folder, 'c.faultline');
  const child = start('import', path, small, large);
  const ended = finished(child);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
    if (out.includes('imported events.json')) child.kill('SIGINT');
  });
  const { code, err } = await ended;
  expect([code, existsSync(path)]).toEqual([1, true]);
  expect(err).toMatch(/^faultline: cancelled: the file imported before stays in the case/m);
  const info = JSON.parse((await faultline('info', path, '--json')).out);
  expect(info.sources.map(({ name }: { name: string }) => name)).toEqual(['events.json']);
});

test('a capture that is stopped before it started ends with one line', async () => {
  const core = await openTestCore(undefined, { feeds });
  const plan = 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]';
  const run = core.api['capture.run']({ plan }, { signal: AbortSignal.abort() });
  await expect(run[Symbol.asyncIterator]().next()).rejects.toThrow('the capture ended before anything was recorded');
});

test('the duration of a capture counts from the first feed that delivers', async () => {
  const folder = await temporaryFolder();
  const [plan, path] = ['plan.yaml', 'c.faultline'].map((name) => join(folder, name)) as [string, string];
  await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
  const { code, out } = await faultline('capture', plan, '--case', path, '--duration', '0.001s');
  expect([code, out]).toEqual([0, expect.stringMatching(/OTLP receiver: up, .*\nOTLP receiver: 0 rows\n$/s)]);
});
