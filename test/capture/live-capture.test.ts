import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFeeds, feeds } from '../../src/main/capture/index.ts';
import type { LiveCaptureView } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';

interface Powercap {
  readonly plan: string;
  plug(): Promise<void>;
  unplug(): Promise<void>;
}

/** A powercap tree of one package, which can be taken away. */
async function powercap(name = 'package power'): Promise<Powercap> {
  const root = join(await temporaryFolder(), 'powercap');
  const zone = join(root, 'intel-rapl:0');
  // In one step each: a poll between two files would see a zone that is broken, which is another outage.
  const aside = await temporaryFolder();
  let times = 0;
  const plug = async () => {
    const made = join(aside, `plugged-${times}`);
    await mkdir(made);
    await writeFile(join(made, 'name'), 'package-0\n');
    await writeFile(join(made, 'max_energy_range_uj'), '100000000\n');
    await writeFile(join(made, 'energy_uj'), '1000\n');
    await mkdir(root, { recursive: true });
    await rename(made, zone);
  };
  await plug();
  const settings = JSON.stringify({ kind: 'rapl', name, root, every_s: 0.2, host: 'node-1' });
  return { plan: `feeds: [${settings}]`, plug, unplug: () => rename(zone, join(aside, `unplugged-${times++}`)) };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a window sees of the capture, as it goes on. */
function watch({ api }: TestCore) {
  const stop = new AbortController();
  const seen: (LiveCaptureView | null)[] = [];
  const watching = (async () => {
    for await (const { capture } of api['capture.state']({}, { signal: stop.signal })) seen.push(capture);
  })();
  const until = async (happened: (capture: LiveCaptureView | null) => boolean): Promise<LiveCaptureView | null> => {
    for (;;) {
      const last = seen.at(-1);
      if (last !== undefined && happened(last)) return last;
      await pause(25);
    }
  };
  return {
    until,
    leave: async () => {
      stop.abort();
      await watching;
    },
  };
}

const isUp = (capture: LiveCaptureView | null) => capture?.feeds[0]?.state === 'up' && capture.feeds[0].rows > 0;
const outages = async ({ api }: TestCore) =>
  (await api['query.sql']({ sql: 'select source, reason, until_utc is null, from_utc < until_utc from outages' })).rows;

describe('a capture of a window', () => {
  test('continues when its window closes, is visible in others, and ends cleanly', async () => {
    const { plan } = await powercap();
    const core = await openTestCore(undefined, { feeds });
    const [one, other] = [watch(core), watch(core)];
    await one.until((capture) => capture === null);
    const { case: name } = await core.api['capture.start']({ plan }, { window: 'one' });
    await one.until(isUp);
    await one.leave();
    const before = (await other.until(isUp))?.feeds[0]?.rows ?? 0;
    const after = await other.until((capture) => (capture?.feeds[0]?.rows ?? 0) > before);
    expect(after).toMatchObject({ phase: 'running', case: name, problem: null });
    const rated = await other.until((capture) => (capture?.feeds[0]?.rate_per_s ?? 0) > 0);
    // Three values each fifth of a second at most: power, energy and a limit.
    expect(rated?.feeds[0]?.rate_per_s).toBeLessThan(40);
    // A window that comes later sees the same.
    const late = watch(core);
    expect(await late.until((capture) => capture !== null)).toMatchObject({ case: name });
    await late.leave();
    await core.api['capture.stop']({});
    expect(await other.until((capture) => capture?.phase === 'ended')).toMatchObject({ problem: null });
    await other.leave();
    const left = await core.api['query.sql']({
      sql: "select count(*)::integer from meta where key = 'capture_unfinished'",
    });
    expect(left.rows).toEqual([[0]]);
    expect((await core.api['case.current']({}))?.sources[0]?.rows['point']).toBeGreaterThan(2);
  });

  test('is the only one, and its case stays open while it runs', async () => {
    const { plan } = await powercap();
    const core = await openTestCore(undefined, { feeds });
    await core.api['capture.start']({ plan });
    await expect(core.api['capture.start']({ plan })).rejects.toThrow(/a capture is running/);
    await expect(core.api['case.close']({})).rejects.toThrow(/a capture is running/);
    await core.api['capture.stop']({});
    await core.api['capture.stop']({});
    await core.api['case.close']({});
    expect(await core.api['case.current']({})).toBeNull();
  });

  test('an invalid plan has no effect', async () => {
    const core = await openTestCore(undefined, { feeds });
    const { plan } = await powercap();
    await core.api['capture.start']({ plan });
    await core.api['capture.stop']({});
    const name = (await core.api['case.current']({}))?.name;
    await expect(core.api['capture.start']({ plan: 'feeds: [{kind: telepathy}]', new_case: true })).rejects.toThrow(
      /kind/,
    );
    expect((await core.api['case.current']({}))?.name).toBe(name);
  });

  test('a feed that is down is an outage with its reason, and no value and no event', async () => {
    const { plan, unplug, plug } = await powercap();
    const core = await openTestCore(undefined, { feeds });
    const seen = watch(core);
    await core.api['capture.start']({ plan });
    await seen.until(isUp);
    await unplug();
    await seen.until((capture) => capture?.feeds[0]?.state === 'down');
    await expect
      .poll(() => outages(core))
      .toEqual([['package power', expect.stringMatching(/no longer has power zones/), true, null]]);
    const [open] = await core.api['timeline.silences']({});
    expect(open).toMatchObject({ is_open: true, reason: expect.stringMatching(/no longer has power zones/) });
    await plug();
    await seen.until(isUp);
    // The first new row ends it, not the next report.
    const again = async () =>
      (
        await core.api['query.sql']({
          sql: 'select count(*)::integer from metrics, outages where time_utc = until_utc',
        })
      ).rows[0]?.[0];
    await expect.poll(again).toBeGreaterThan(0);
    const [closed] = await core.api['timeline.silences']({});
    expect(closed).toMatchObject({ is_open: false });
    const counted = await core.api['query.sql']({
      sql: `select count(*)::integer from metrics, outages
        where metric = 'hw.energy' and time_utc > from_utc and time_utc < until_utc`,
    });
    expect(counted.rows).toEqual([[0]]);
    expect((await core.api['query.sql']({ sql: 'select count(*)::integer from events' })).rows).toEqual([[0]]);
    // A state that is open at the end of the capture has no known end.
    await unplug();
    await seen.until((capture) => capture?.feeds[0]?.state === 'down');
    await core.api['capture.stop']({});
    await seen.leave();
    expect((await outages(core)).map((row) => row.slice(2))).toEqual([
      [false, true],
      [false, true],
    ]);
    const { text } = await core.api['report.render']({ format: 'markdown', incident: null });
    expect(text).toMatch(/## Gaps\n.*- package power: no data from .* to .*no longer has power zones/s);
  });

  test('a feed that cannot start is down until the end, with its reason', async () => {
    const core = await openTestCore(undefined, { feeds });
    const seen = watch(core);
    await core.api['capture.start']({ plan: 'feeds: [{kind: rapl, name: none, root: /nowhere}]' });
    await seen.until((capture) => capture?.phase === 'ended');
    await seen.leave();
    expect((await outages(core)).map(([source, reason]) => [source, reason])).toEqual([
      ['none', expect.stringMatching(/has no power zones/)],
    ]);
  });

  test('closing the host ends it cleanly', async () => {
    const { plan } = await powercap();
    const core = await openTestCore(undefined, { feeds });
    const seen = watch(core);
    await core.api['capture.start']({ plan });
    await seen.until(isUp);
    await core.close();
    expect(await seen.until((capture) => capture?.phase === 'ended')).toMatchObject({ problem: null });
    await seen.leave();
  });
});

describe('a plan between text and form', () => {
  test('is read, changed and written without defaults', async () => {
    const core = await openTestCore(undefined, { feeds });
    const read = await core.api['capture.plan']({ text: 'feeds:\n  - kind: snmp\n    host: pdu-a\n    every_s: 2\n' });
    expect(read).toMatchObject({ feeds: [{ kind: 'snmp', host: 'pdu-a', every_s: 2 }], problems: [] });
    const written = await core.api['capture.plan']({ feeds: [{ kind: 'snmp', host: 'pdu-b', version: '3' }] });
    expect(written.text).toBe("feeds:\n  - kind: snmp\n    host: pdu-b\n    version: '3'\n");
    expect(written.problems).toEqual([
      { feed: 0, path: 'user', message: 'version 3 requires a user, other versions have none' },
    ]);
  });

  test.each([
    ['feeds: [{kind: rapl}, {kind: snmp, host: a, port: 70000}]', { feed: 1, path: 'port' }],
    [
      'feeds: [{kind: snmp, host: a, version: "3", user: {name: b, auth_key: sesame}}]',
      { feed: 0, path: 'user.auth_key' },
    ],
    ['feeds: [{kind: rapl, often: true}]', { feed: 0, path: '', message: 'there is no often' }],
    ['feeds: [{kind: rapl}, {kind: rapl}]', { feed: 1, path: 'name' }],
    ['feeds: []', { feed: null, path: 'feeds' }],
    ['feeds: [{kind: telepathy}]', { feed: 0, path: 'kind' }],
    ['feeds: {', { feed: null, path: '', message: expect.stringMatching(/no YAML.*line 1/) }],
  ])('reports the place of an error: %s', async (text, problem) => {
    const core = await openTestCore(undefined, { feeds });
    const { problems } = await core.api['capture.plan']({ text });
    expect(problems).toEqual([expect.objectContaining(problem)]);
    expect(JSON.stringify(problems)).not.toContain('sesame');
  });

  test.each([
    ['{kind: rapl, root: /etc}', 'root'],
    ['{kind: kernel-log, path: /etc/passwd}', 'path'],
    ['{kind: flight-recorder, folder: /home}', 'folder'],
    ['{kind: log-tail, folder: /var/log}', 'folder'],
    ['{kind: nvml, library: /tmp/evil.so}', 'library'],
    ['{kind: nvml, nvidia_smi: /tmp/evil}', 'nvidia_smi'],
    [
      '{kind: redfish, url: "https://bmc", push: {listen: "127.0.0.1:0", certificate: /etc/a, key: /etc/b}}',
      'push.certificate',
    ],
  ])('a window may name no file or program of this machine: %s', async (feed, path) => {
    const windows = createFeeds(false);
    const plan = `feeds: [${feed}]`;
    await expect(windows.open(plan)).rejects.toThrow(/only a plan that is run from the command line/);
    expect(() => windows.test(plan, new AbortController().signal)).toThrow(/command line/);
    expect(windows.readPlan(plan).problems).toContainEqual(expect.objectContaining({ feed: 0, path }));
    const others = windows.kinds.flatMap(({ fields }) => fields.filter(({ type }) => type !== 'folder'));
    expect(others.map((field) => field.path)).not.toContain(path);
    await expect(feeds.open(plan)).resolves.toHaveLength(1);
  });

  test('every kind has a form with words for each field', async () => {
    const core = await openTestCore(undefined, { feeds });
    const kinds = await core.api['capture.kinds']({});
    for (const { kind, title, about, fields } of kinds) {
      expect([kind, title, about].every((word) => word !== '')).toBe(true);
      for (const field of fields)
        expect(field, `${kind} ${field.path}`).toMatchObject({ about: expect.stringMatching(/./) });
    }
    const snmp = kinds.find(({ kind }) => kind === 'snmp');
    expect(snmp?.fields).toContainEqual({
      path: 'user.auth_key',
      group: 'user',
      about: 'where the authentication key is; empty: neither is used',
      type: 'secret',
      isOptional: true,
      fallback: '',
      choices: [],
    });
    expect(snmp?.fields.find(({ path }) => path === 'version')).toMatchObject({
      type: 'choice',
      choices: expect.arrayContaining(['1', '2c', '3']),
      fallback: '2c',
    });
    expect(snmp?.fields.find(({ path }) => path === 'host')).toMatchObject({ type: 'text', isOptional: false });
  });
});
