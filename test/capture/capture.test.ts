import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import type { Feeds } from '../../src/model/storage/feed.ts';
import { faultline, start } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

/** A powercap tree of one package at 200 W whose counter wraps at 1000 J: at most once between two polls. */
async function powercap(joules: number): Promise<{ readonly root: string; set(joules: number): Promise<void> }> {
  const root = join(await temporaryFolder(), 'powercap');
  const zone = join(root, 'intel-rapl:0');
  await mkdir(zone, { recursive: true });
  const set = (value: number) => writeFile(join(zone, 'energy_uj'), `${Math.round((value % 1000) * 1e6)}\n`);
  await writeFile(join(zone, 'name'), 'package-0\n');
  await writeFile(join(zone, 'max_energy_range_uj'), '1000000000\n');
  await set(joules);
  return { root, set };
}

async function run(plan: string, whileRunning: (stop: () => void, events: readonly CaptureEvent[]) => Promise<void>) {
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const events: CaptureEvent[] = [];
  const working = whileRunning(() => stop.abort(), events);
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) events.push(event);
  await working;
  return { core, events };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits for this number of rows on disk: a busy machine polls late. */
const written = (events: readonly CaptureEvent[], rows: number) =>
  expect.poll(() => events.findLast((event) => event.kind === 'written')?.rows ?? 0).toBeGreaterThanOrEqual(rows);

describe('a capture', () => {
  test('power of a processor, also where its energy counter wraps', async () => {
    const { root, set } = await powercap(950);
    const began = Date.now();
    const counting = setInterval(() => void set(950 + ((Date.now() - began) / 1000) * 200), 20);
    const { core } = await run(
      `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.25, host: node-1}]`,
      async (stop, events) => {
        await written(events, 12);
        stop();
      },
    );
    clearInterval(counting);
    const { rows } = await core.api['query.sql']({
      sql: "select entity, count(*)::integer, median(value) from metrics where metric = 'hw.power' group by all",
    });
    expect(rows[0]?.[0]).toBe('node-1/cpu0');
    expect(rows[0]?.[1]).toBeGreaterThanOrEqual(5);
    expect(rows[0]?.[2]).toBeGreaterThan(150);
    expect(rows[0]?.[2]).toBeLessThan(250);
    expect(await core.api['timeline.lanes']({ concluded: false })).toContainEqual(
      expect.objectContaining({ id: 'metric:cpu:node-1/cpu0:hw.power' }),
    );
  });

  test('a feed that cannot start reports why, and does not stop others', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { root } = await powercap(1);
    const plan = `feeds:
      - {kind: otlp, http: "127.0.0.1:${port}", grpc: null}
      - {kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.2, host: node-1}
      - {kind: rapl, name: none, root: /nowhere}`;
    const { events } = await run(plan, async (stop, seen) => {
      await written(seen, 4);
      stop();
    });
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds.map(({ name, problem }) => [name, problem?.code ?? null])).toEqual([
      ['OTLP receiver', 'feed.cannot_listen'],
      ['RAPL', null],
      ['none', 'feed.no_rapl'],
    ]);
    expect(ended.feeds[1]?.rows).toBeGreaterThan(3);
  });

  test('zones whose energy cannot be read are a gap with its reason', async () => {
    const { root, set } = await powercap(1);
    await rm(join(root, 'intel-rapl:0', 'energy_uj'));
    const core = await openTestCore(undefined, { feeds });
    const stop = new AbortController();
    const messages: string[] = [];
    const plan = `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.1, host: node-1}]`;
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) {
      if (event.kind !== 'feed') continue;
      messages.push(`${event.state}: ${event.reason}`);
      if (messages.length === 1) await set(2);
      else stop.abort();
    }
    expect(messages).toEqual(['down: no zone reports its energy', 'up: 1 zones']);
    expect((await core.api['query.sql']({ sql: 'select reason from outages' })).rows).toEqual([
      ['no zone reports its energy'],
    ]);
  });

  test('a bug in one feed is reported, and other feeds continue', async () => {
    const { root } = await powercap(1);
    const mistaken: Feeds = {
      ...feeds,
      open: async (plan) => [
        ...(await feeds.open(plan)),
        {
          name: 'mistaken',
          format: 'test-live',
          stampedBy: 'here',
          about: '',
          run: async () => {
            await pause(300);
            throw new TypeError('undefined is not a function');
          },
        },
      ],
    };
    const core = await openTestCore(undefined, { feeds: mistaken });
    const stop = new AbortController();
    const events: CaptureEvent[] = [];
    const working = written(events, 6).finally(() => stop.abort());
    const plan = `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.2, host: node-1}]`;
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) events.push(event);
    await working;
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds.map(({ problem }) => problem?.code ?? null)).toEqual([null, 'feed.broken']);
    expect(ended.feeds[0]?.rows).toBeGreaterThan(5);
    const info = await core.api['case.current']({});
    expect(info?.sources.find(({ name }) => name === 'mistaken')?.remarks.join()).toMatch(
      /undefined is not a function/,
    );
  });

  test('a feed that loses its target is a gap with its reason in Sources', async () => {
    const { root } = await powercap(1);
    const { core } = await run(
      `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.2, host: node-1}]`,
      async (stop, seen) => {
        await written(seen, 1);
        // Atomic: a half-deleted folder would be another failure.
        await rename(join(root, 'intel-rapl:0'), join(root, 'gone'));
        const isDown = () => seen.some((event) => event.kind === 'feed' && event.state === 'down');
        await expect.poll(isDown).toBe(true);
        stop();
      },
    );
    const info = await core.api['case.current']({});
    expect(info?.sources[0]?.remarks.join('\n')).toMatch(
      /nothing was received from .* on: .* no longer has power zones/,
    );
  });

  test.each([
    ['no YAML', '{', /no YAML/],
    ['nothing', 'feeds: []', /feeds/],
    ['an unknown kind', 'feeds: [{kind: telepathy}]', /kind/],
    ['an unknown setting', 'feeds: [{kind: rapl, often: true}]', /often/],
    ['a broken address', 'feeds: [{kind: otlp, http: "everywhere"}]', /host:port/],
    ['two of one name', 'feeds: [{kind: rapl}, {kind: rapl}]', /two feeds of the plan are called RAPL/],
  ])('an invalid plan is refused with the place of the error: %s', async (_, plan, message) => {
    await expect(feeds.open(plan)).rejects.toThrow(message);
  });
});

describe('from the command line', () => {
  test('after a kill the case opens and has all rows that were reported as written', async () => {
    const folder = await temporaryFolder();
    const { root, set } = await powercap(1);
    const counting = setInterval(() => void set(Date.now() / 10), 20);
    onTestFinished(() => clearInterval(counting));
    const [plan, into] = [join(folder, 'plan.yaml'), join(folder, 'live.faultline')];
    await writeFile(
      plan,
      `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.1, host: node-1}, {kind: rapl, name: none, root: /nowhere}]`,
    );
    const child = start('capture', plan, '--case', into, '--json');
    let out = '';
    const rows = (): number[] =>
      [...out.matchAll(/"kind": ?"written".*?"rows": ?(\d+)/g)].map(([, messages]) => Number(messages));
    const hasWritten = new Promise<void>((resolve) =>
      child.stdout?.on('data', (text) => {
        out += text;
        if (rows().length > 2 && (rows().at(-1) ?? 0) > 5) resolve();
      }),
    );
    await hasWritten;
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const result = await faultline(
      'query',
      into,
      'select (select count(*)::integer from metrics) + (select count(*)::integer from outages) as n',
      '--format',
      'json',
    );
    const [{ n }] = JSON.parse(result.out) as [{ n: number }];
    expect(n).toBeGreaterThanOrEqual(rows().at(-1)!);
    const info = await faultline('info', into, '--json');
    expect(JSON.parse(info.out).sources[0]).toMatchObject({ name: 'RAPL', format: 'rapl-live' });
    // States that were open at the kill end with the last recorded row.
    const outages = await faultline(
      'query',
      into,
      'select source, until_utc > from_utc as ended from outages',
      '--format',
      'json',
    );
    expect(JSON.parse(outages.out)).toEqual([{ source: 'none', ended: true }]);
    // Its index is built when the case is opened.
    const left = await faultline(
      'query',
      into,
      "select count(*)::integer as n from meta where key = 'capture_unfinished'",
      '--format',
      'json',
    );
    expect(JSON.parse(left.out)).toEqual([{ n: 0 }]);
    // The next capture finds the gap, and only the first one after a kill reports it.
    for (let again = 0; again < 2; again++)
      expect((await faultline('capture', plan, '--case', into, '--duration', '3s')).code).toBe(0);
    const marked = await faultline(
      'query',
      into,
      "select source, until_utc > from_utc as ended from outages where reason like 'the capture was killed%' order by 1",
      '--format',
      'json',
    );
    expect(JSON.parse(marked.out)).toEqual([
      { source: 'RAPL', ended: true },
      { source: 'none', ended: true },
    ]);
  });

  test('runs for a given time, then ends and reports its counts', async () => {
    const folder = await temporaryFolder();
    const { root } = await powercap(1);
    const plan = join(folder, 'plan.yaml');
    await writeFile(plan, `feeds: [{kind: rapl, root: ${JSON.stringify(root)}, every_s: 0.2, host: node-1}]`);
    const ran = await faultline('capture', plan, '--case', join(folder, 'live.faultline'), '--duration', '2s');
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/recording RAPL into live.*\n.*RAPL: up, 1 zones.*\nRAPL: \d+ rows\n$/s);
  });

  test('if no feed can start, the command fails with one line', async () => {
    const folder = await temporaryFolder();
    const plan = join(folder, 'plan.yaml');
    await writeFile(plan, 'feeds: [{kind: rapl, root: /nowhere}]');
    const ran = await faultline('capture', plan, '--case', join(folder, 'live.faultline'));
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/\/nowhere has no power zones/);
  });
});
