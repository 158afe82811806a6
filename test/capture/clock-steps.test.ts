import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { ClockSteps } from '../../src/main/capture/steady-clock.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import { pause, sqlRows } from '../support/capture-run.ts';
import { cli } from '../support/command-line.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { hasCompiler } from '../support/fake-nvml.ts';
import { deviceEnvironment, type FeedDevice, feedDevices } from '../support/feed-devices.ts';
import { openedFeeds } from '../support/opened-feeds.ts';
import { agentOn, GAUGE32, ObjectTable, OCTETS, TICKS, type Value } from '../support/snmp-agent.ts';

/** A processor whose energy only grows, which gives the order of its readings. */
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
afterEach(() => {
  vi.restoreAllMocks();
  // Tests of one process share the clock of captures, which does not go back by itself.
  new ClockSteps();
});

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
/** All gaps but those for which a busy machine had no time: they may come, and have a reason of their own. */
const NO_TIME = "Faultline's own process had no time for it";
const WITH_TIME = `reason <> '${NO_TIME.replaceAll("'", "''")}'`;
const silences = async (core: TestCore) =>
  (await core.api['timeline.silences']({}))
    .filter(({ reason }) => reason !== NO_TIME)
    .map(({ start_ns, end_ns, reason }) => ({ length_s: Number(end_ns - start_ns) / 1e9, reason }));

const HOUR_MS = 3_600_000;

test('set back by an hour: rows stay in order, without a gap, on the new clock, and Sources shows why', async () => {
  const core = await recordWhileSet(-HOUR_MS);
  const { ages: seconds, newest_ms } = await ages(core);
  expect(seconds.length).toBeGreaterThan(8);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect(seconds[0]).toBeLessThan(600);
  expect(Math.abs(newest_ms - (real() - HOUR_MS))).toBeLessThan(60_000);
  expect(await remarks(core)).toContainEqual(
    expect.stringMatching(
      /^this machine's clock was set back by 60 min at .*: earlier records were moved to the new clock/,
    ),
  );
  expect(await silences(core)).toEqual([]);
});

test('set forward by ten minutes: rows stay in order, and a gap has the reason', async () => {
  const core = await recordWhileSet(600_000);
  const { ages: seconds } = await ages(core);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  const widest = Math.max(...seconds.slice(1).map((second, at) => seconds[at]! - second));
  expect(widest).toBeGreaterThan(590);
  const [gap, ...others] = await silences(core);
  expect(others).toEqual([]);
  expect(gap?.reason).toBe("this machine's clock was set forward by 10 min, or it slept");
  expect(Math.abs((gap?.length_s ?? 0) - 600)).toBeLessThan(2);
});

test('set forward between request and response: the response is dated after the step, and the whole step is a gap', async () => {
  shift_ms = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + shift_ms);
  let polls = 0;
  const table = new ObjectTable(
    new Map<string, () => Value>([
      ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: 'PDU-A' })],
      ['1.3.6.1.2.1.1.3.0', () => ({ tag: TICKS, value: ++polls })],
      ['1.3.6.1.4.1.318.1.1.26.4.3.1.5.1', () => ({ tag: GAUGE32, value: 100 })],
    ]),
  );
  const agent = await agentOn((request, reply) => {
    const before = polls;
    const answer = table.answer(request);
    if (before < 5 && polls >= 5) shift_ms = 600_000;
    reply(answer);
  });
  onTestFinished(agent.close);
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const plan = `feeds: [{kind: snmp, name: PDU, host: 127.0.0.1, port: ${agent.port}, every_s: 0.1}]`;
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal }))
    if (event.kind === 'written' && polls > 15) stop.abort();
  const sql = `select (epoch_ms(until_utc) - epoch_ms(from_utc))::integer, (select count(*) from metrics where time_utc > from_utc and time_utc < until_utc)::integer from outages where ${WITH_TIME}`;
  const [[length_ms, inside] = [], ...others] = await sqlRows(core, sql);
  expect(others).toEqual([]);
  expect(length_ms).toBeGreaterThan(595_000);
  expect(inside).toBe(0);
});

test('set back and forward again: no poll before or after is lost', async () => {
  const core = await recordWhileSet(-HOUR_MS, 1_800_000, 120_000);
  const { ages: seconds } = await ages(core);
  // Five rows and more were written before each step and after the last; half of them are of energy.
  expect(seconds.length).toBeGreaterThanOrEqual(10);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect((await silences(core)).map(({ reason }) => reason)).toEqual([
    expect.stringContaining('forward by 30 min'),
    // As long as its polls show, to the millisecond.
    expect.stringMatching(/forward by (2 min|1[12]\d s)/),
  ]);
});

test('set back while a feed is down: reports use the new clock, and the outage has its length', async () => {
  shift_ms = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + shift_ms);
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  const feed: Feed = {
    name: 'silent',
    format: 'snmp-live',
    stampedBy: 'here',
    about: '',
    run: async (sink) => {
      sink.reportState('down', 'it does not answer');
      // The length of the outage.
      await pause(150);
      // The clock was not checked since.
      shift_ms = -HOUR_MS;
      sink.reportState('up', 'asked');
      wasAsked();
    },
  };
  const core = await openTestCore(undefined, {
    feeds: { ...openedFeeds([feed]), wait: () => asked, clockSteps: () => new ClockSteps() },
  });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  const sql = `select epoch_ns(from_utc)::bigint, epoch_ns(until_utc)::bigint from outages where ${WITH_TIME}`;
  const [[from, until] = []] = await sqlRows(core, sql);
  const [from_ms, until_ms] = [Number(from) / 1e6, Number(until) / 1e6];
  expect(until_ms - from_ms).toBeGreaterThan(100);
  expect(until_ms - from_ms).toBeLessThan(HOUR_MS / 2);
  expect(Math.abs(until_ms - (real() - HOUR_MS))).toBeLessThan(HOUR_MS / 2);
});

/** Debian's libfaketime: a process of its own sees another wall clock, in all of its threads. */
const FAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

const kinds = feeds.kinds.map(({ kind }) => kind);

test('every kind of feed has a device here with a visible clock', () => {
  expect(Object.keys(feedDevices).sort()).toEqual([...kinds].sort());
});

type Written = Extract<CaptureEvent, { kind: 'written' }>;

/** The built command line on a clock that is set back by an hour after every feed sent rows. */
async function recordAll(devices: ReadonlyMap<string, FeedDevice>, path: string): Promise<void> {
  const folder = await temporaryFolder();
  const [plan, clock] = [join(folder, 'plan.yaml'), join(folder, 'clock')];
  const planned = [...devices].map(([kind, device]) => ({ kind, name: kind, ...device.plan }));
  await writeFile(plan, JSON.stringify({ feeds: planned }));
  await writeFile(clock, '+0');
  const env = {
    ...process.env,
    ...deviceEnvironment,
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const args = [cli, 'capture', plan, '--case', path, '--json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const up = new Set<string>();
  let rows = new Map<string, number>();
  let flushes = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as CaptureEvent;
    if (event.kind === 'feed' && event.state === 'up') up.add(event.feed);
    if (event.kind !== 'written') return;
    flushes++;
    rows = new Map((event as Written).feeds.map((feed) => [feed.name, feed.rows]));
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  // What has failed leaves nothing running.
  onTestFinished(() => void child.kill('SIGKILL'));
  const all = [...devices];
  /** Every feed that can have sent rows since. */
  const moreThan = async (before: ReadonlyMap<string, number>, of: typeof all) => {
    for (const [kind] of of)
      await expect.poll(() => rows.get(kind), { message: kind }).toBeGreaterThan(before.get(kind) ?? 0);
  };
  await expect.poll(() => [...up].sort()).toEqual(kinds.toSorted());
  for (const [, device] of all) await device.happen?.();
  await moreThan(new Map(), all);
  await writeFile(clock, '-3600');
  // The capture looks at its clock with each flush: with the second from now at the latest, what came before is flushed.
  const flushed = flushes;
  await expect.poll(() => flushes).toBeGreaterThanOrEqual(flushed + 2);
  const before = new Map(rows);
  for (const [, device] of all) await device.happen?.();
  await moreThan(
    before,
    all.filter(([, { recurs, happen }]) => recurs || happen),
  );
  child.kill('SIGINT');
  await ended;
}

const clockWorld = FAKETIME !== undefined && hasCompiler;
test.skipIf(!clockWorld)(
  'set back by an hour: what every kind of feed stamps here is on the clock that is now, what others stated stays (skipped: libfaketime or a C compiler is not installed)',
  async () => {
    const devices = new Map<string, FeedDevice>();
    for (const [kind, device] of Object.entries(feedDevices)) devices.set(kind, await device());
    const path = join(await temporaryFolder(), 'all.faultline');
    const began_ms = real();
    await recordAll(devices, path);
    const until_ms = real();
    const core = await openTestCore(path);
    const rows = await sqlRows(
      core,
      `select source, min(time_ns)::bigint, max(time_ns)::bigint, list_sort(list(distinct time_ns // 1000000000))::varchar from
         (select source, time_ns from metrics union all select source, time_ns from events union all select source, time_ns from logs
          union all select source, epoch_ns(created_utc) from collectives)
       group by source`,
    );
    const times = new Map(rows.map(([source, from, until, all]) => [source as string, { from, until, all }]));
    for (const [kind, { stated_s }] of devices) {
      const found = times.get(kind);
      if (stated_s) expect([kind, found?.all]).toEqual([kind, `[${stated_s.join(', ')}]`]);
      // None of it has a time.
      else if (kind === 'nvidia-topology') expect(found).toBeUndefined();
      else {
        expect([kind, Number(found?.from) / 1e6 - (began_ms - HOUR_MS) > -5000]).toEqual([kind, true]);
        expect([kind, Number(found?.until) / 1e6 - (until_ms - HOUR_MS) < 5000]).toEqual([kind, true]);
      }
    }
    const { sources = [] } = (await core.api['case.current']({})) ?? {};
    for (const { name, remarks } of sources) {
      const steps = remarks.filter((text) => /clock was set|later than/.test(text));
      expect([name, steps]).toEqual([
        name,
        [expect.stringContaining("this machine's clock was set back by 60 min at")],
      ]);
    }
    expect(sources.map(({ name }) => name).sort()).toEqual([...kinds].sort());
  },
);
