import { spawnSync } from 'node:child_process';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FoundItem } from '../../src/model/contract/index.ts';
import { cli } from '../support/command-line.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';

/** A file that was recorded on the 6th of May 2026. */
async function written(text: string): Promise<string> {
  const path = join(await temporaryFolder(), 'app.log');
  await writeFile(path, text);
  const recorded = Date.UTC(2026, 4, 6, 12) / 1000;
  await utimes(path, recorded, recorded);
  return path;
}

async function inspect(core: TestCore, path: string): Promise<{ inspection: string; found: FoundItem }> {
  const handle = await core.register(path);
  for await (const one of core.api['import.inspect']({ handles: [handle] }))
    if (one.kind === 'found') return { inspection: one.inspection, found: one.sources[0]! };
  throw new Error('the inspection returned nothing');
}

type Reading = NonNullable<FoundItem['left_open']>['readings'][number];

async function imported(core: TestCore, inspection: string, reading: Partial<Reading>): Promise<string[]> {
  const { date_order = null, year = null } = reading;
  const choices = [{ item: 0, date_order, year }];
  for await (const event of core.api['import.run']({ inspection, choices, new_case: true }))
    if (event.kind === 'problem') throw new Error(event.problem.message);
  const answer = await core.api['query.sql']({ sql: 'select time_utc::varchar from logs order by time_ns' });
  return answer.rows.map(([time]) => String(time).slice(0, 19));
}

const swapped = ['05/01/2026 14:04:18 INFO first', '05/02/2026 14:04:19 INFO second', ''].join('\n');

test('dates of numbers can be read in both orders, and are read as chosen', async () => {
  const core = await openTestCore();
  const path = await written(swapped);
  const { inspection, found } = await inspect(core, path);
  expect(found.left_open).toEqual({
    missing: ['zone', 'device'],
    line: '05/01/2026 14:04:18 INFO first',
    readings: [
      { date_order: 'month-first', year: null, clock: '2026-05-01 14:04:18' },
      { date_order: 'day-first', year: null, clock: '2026-01-05 14:04:18' },
    ],
  });
  expect(await imported(core, inspection, { date_order: 'day-first' })).toEqual([
    '2026-01-05 14:04:18',
    '2026-02-05 14:04:19',
  ]);
  const other = await openTestCore();
  const guessed = await inspect(other, path);
  expect(await imported(other, guessed.inspection, {})).toEqual(['2026-05-01 14:04:18', '2026-05-02 14:04:19']);
});

test.each([
  ['25/04/2026 14:04:18 INFO a\n03/05/2026 14:04:19 INFO b\n', ['2026-04-25 14:04:18', '2026-05-03 14:04:19']],
  ['04/25/2026 2:04:18 PM INFO a\n05/03/2026 12:04:19 AM INFO b\n', ['2026-04-25 14:04:18', '2026-05-03 00:04:19']],
  ['05.04.2026 14:04:18 INFO a\n', ['2026-04-05 14:04:18']],
  ['26/05/01 14:04:18 INFO a\n', ['2026-05-01 14:04:18']],
  ['04/04/2026 14:04:18 INFO a\n', ['2026-04-04 14:04:18']],
])('%j leaves no order open', async (text, times) => {
  const core = await openTestCore();
  const { inspection, found } = await inspect(core, await written(text));
  expect(found.left_open?.readings).toEqual([]);
  expect(await imported(core, inspection, {})).toEqual(times);
});

test('times without a year are read in the year that is chosen for the first of them', async () => {
  const core = await openTestCore();
  const path = await written('Dec 31 23:59:58 app: INFO a\nJan 01 00:00:02 app: INFO b\n'.replaceAll('app: ', ''));
  const { inspection, found } = await inspect(core, path);
  expect(found.left_open?.readings.map(({ clock }) => clock.slice(0, 10))).toEqual([
    '2025-12-31',
    '2024-12-31',
    '2023-12-31',
    '2022-12-31',
  ]);
  expect(await imported(core, inspection, { year: 2023 })).toEqual(['2023-12-31 23:59:58', '2024-01-01 00:00:02']);
});

test('a guessed order is one remark, however many dates there are; a 29th of February has its years', async () => {
  const core = await openTestCore();
  const { inspection } = await inspect(core, await written(swapped));
  await imported(core, inspection, {});
  const [source] = (await core.api['case.current']({}))?.sources ?? [];
  expect(source?.remarks.filter((remark) => remark.includes('guess'))).toEqual([
    'dates such as 5/1/2026 are read month first: a guess',
  ]);
  const { found } = await inspect(core, await written('Feb 29 14:04:18 INFO a\n'));
  expect(found.left_open?.readings.map(({ year }) => year)).toEqual([2024, 2020, 2016, 2012]);
});

test('a log whose times and writer are stated leaves nothing open', async () => {
  const core = await openTestCore();
  const line = '{"time":"2026-05-01T14:04:18Z","level":"info","msg":"m","service":"api"}\n';
  expect((await inspect(core, await written(line))).found.left_open).toEqual({ missing: [], line: '', readings: [] });
});

test('the command line shows what a file leaves open, and takes the answer', async () => {
  const path = await written(swapped);
  const home = await temporaryFolder();
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', env: { ...process.env, FAULTLINE_HOME: home } });
  const shown = run('import', join(home, 'x.faultline'), path, '--dry-run').stdout;
  expect(shown).toContain('the time of "05/01/2026 14:04:18 INFO first" can be');
  expect(shown).toContain('2026-05-01 14:04:18  --date-order month-first  (guess)');
  expect(shown).toContain('2026-01-05 14:04:18  --date-order day-first\n');
  const target = join(home, 'x.faultline');
  expect(run('import', target, path, '--date-order', 'day-first').stdout).toContain('2 log records');
  expect(run('query', target, 'select min(time_utc) from logs').stdout).toContain('2026-01-05');
  expect(run('import', target, path, '--date-order', 'backwards').stderr).toContain('month-first');
  expect(run('import', target, path, '--year', '26').stderr).toContain('four digits');
});
