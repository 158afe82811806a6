import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';

/** A processor whose energy tells the order in which it was read: it only ever grows. */
async function powercap(): Promise<string> {
  const root = join(await temporaryFolder(), 'powercap');
  await mkdir(join(root, 'intel-rapl:0'), { recursive: true });
  for (const [name, text] of Object.entries({ name: 'package-0', max_energy_range_uj: '262143328850', energy_uj: '5' }))
    await writeFile(join(root, 'intel-rapl:0', name), `${text}\n`);
  const working = setInterval(
    () => writeFileSync(join(root, 'intel-rapl:0', 'energy_uj'), `${Math.round(performance.now() * 1000)}\n`),
    20,
  );
  onTestFinished(() => clearInterval(working));
  return root;
}

const real = Date.now;
let shift_ms = 0;
afterEach(() => void vi.restoreAllMocks());

/** Records a processor ten times a second while this machine's clock is set by each of these, one after the other. */
async function recordWhileSet(...steps_ms: readonly number[]): Promise<TestCore> {
  shift_ms = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + shift_ms);
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const plan = `feeds: [{kind: rapl, root: ${JSON.stringify(await powercap())}, host: node-1, every_s: 0.1}]`;
  const rest = [...steps_ms];
  let enough = 0;
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) {
    const { rows } = event as Extract<CaptureEvent, { kind: 'written' }>;
    if (event.kind !== 'written' || rows < enough + 5) continue;
    enough = rows;
    const step = rest.shift();
    if (step === undefined) stop.abort();
    else shift_ms += step;
  }
  return core;
}

/** Times of samples on the case's clock, in the order in which they were read, seconds before the newest. */
async function ages(core: TestCore): Promise<{ readonly ages: readonly number[]; readonly newest_ms: number }> {
  // A busy machine may read twice before the energy is written again: such readings are in the order of their times.
  const sql = "select time_ns from metrics where metric = 'hw.energy' order by value, time_ns";
  const times = (await core.api['query.sql']({ sql })).rows.map(([time]) => Number(time) / 1e6);
  const newest_ms = Math.max(...times);
  return { ages: times.map((time) => (newest_ms - time) / 1000), newest_ms };
}

const remarks = async (core: TestCore): Promise<readonly string[]> =>
  (await core.api['case.current']({}))?.sources[0]?.remarks ?? [];
const silences = async (core: TestCore) =>
  (await core.api['timeline.silences']({})).map(({ start_ns, end_ns, reason }) => ({
    length_s: Number(end_ns - start_ns) / 1e9,
    reason,
  }));

const HOUR_MS = 3_600_000;

test('set back by an hour: rows stay in order, close together and on the clock that is now, and Sources says why', async () => {
  const core = await recordWhileSet(-HOUR_MS);
  const { ages: seconds, newest_ms } = await ages(core);
  expect(seconds.length).toBeGreaterThan(8);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect(seconds[0]).toBeLessThan(600);
  expect(Math.abs(newest_ms - (real() - HOUR_MS))).toBeLessThan(60_000);
  expect(await remarks(core)).toContainEqual(
    expect.stringMatching(/^this machine's clock was set back by 60 min at .*: what came before is told by the clock/),
  );
  expect(await silences(core)).toEqual([]);
});

test('set forward by ten minutes: rows stay in order, and a gap says why', async () => {
  const core = await recordWhileSet(600_000);
  const { ages: seconds } = await ages(core);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  const widest = Math.max(...seconds.slice(1).map((second, at) => (seconds[at] as number) - second));
  expect(widest).toBeGreaterThan(590);
  const [gap, ...others] = await silences(core);
  expect(others).toEqual([]);
  expect(gap?.reason).toBe("this machine's clock was set forward by 10 min, or it slept");
  expect(Math.abs((gap?.length_s ?? 0) - 600)).toBeLessThan(2);
});

test('set back and forward again: neither what was polled before nor what is polled after is lost', async () => {
  const core = await recordWhileSet(-HOUR_MS, 1_800_000, 120_000);
  const { ages: seconds } = await ages(core);
  // Five rows and more were written before each step and after the last; half of them are of energy.
  expect(seconds.length).toBeGreaterThanOrEqual(10);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect((await silences(core)).map(({ reason }) => reason)).toEqual([
    expect.stringContaining('forward by 30 min'),
    // As long as its polls tell, to the millisecond.
    expect.stringMatching(/forward by (2 min|1[12]\d s)/),
  ]);
});
