import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lanes } from '../../src/core/api/window-trace/lanes.ts';
import { microsText } from '../../src/core/api/window-trace/micros.ts';
import type { Input } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { exportedRows, finished } from '../support/exports.ts';
import { hostileOtlp, hostileTexts } from '../support/hostile-texts.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');

async function caseOf(...names: readonly string[]): Promise<TestCore> {
  const core = await openTestCore();
  await core.import(names.map((name) => join(fixtures, name)));
  return core;
}

async function exported(core: TestCore, cut: Input<'export.trace'>['cut'] = null) {
  const path = join(await temporaryFolder(), 'window.trace.json');
  core.exportTo(path);
  const done = await finished(core.api['export.trace']({ cut }));
  return { ...done, path };
}

interface Event {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly name: string;
  readonly id: string;
  readonly cat: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const eventsIn = async (path: string): Promise<Event[]> =>
  (JSON.parse(await readFile(path, 'utf8')) as { readonly traceEvents: Event[] }).traceEvents;

/** Rows whose every member a trace can hold; JSON numbers beyond 2^53 are rounded by it, and lists in attributes keep their text. */
async function rows(core: TestCore, table: 'spans' | 'events' | 'metrics'): Promise<string[]> {
  const parsed = (await exportedRows(core, table)).map((row) => JSON.parse(row) as Record<string, unknown>);
  return parsed
    .filter(({ origin, value }) => origin !== 'derived' && (table !== 'metrics' || value !== null))
    .map((row) => JSON.stringify(row, (_, value: unknown) => asObject(value)))
    .sort();
}

/** Attributes as what they mean: the order of members and how a number is written do not count. */
function asObject(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    const parsed = JSON.parse(value) as object;
    return Object.fromEntries(Object.entries(parsed).sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return value;
  }
}

test.each([
  ['otlp/gcp-ops', 'otlp/proto-examples', 'otlp/jaeger-ui'],
  ['jaeger-json', 'zipkin-json'],
  ['chrome-trace'],
  ['incidents/pdu-sag', 'topology-csv'],
  ['prometheus', 'dcgm', 'rapl'],
  ['kubernetes', 'kernel-log', 'redfish', 'snmp-traps'],
])('what is exported as a trace is read back equal: %s', async (...names) => {
  const core = await caseOf(...names);
  const { path } = await exported(core);
  const again = await openTestCore();
  const imported = await again.import([path]);
  expect(imported.filter(({ kind }) => kind === 'problem')).toEqual([]);
  let found = 0;
  for (const table of ['spans', 'events', 'metrics'] as const) {
    const before = await rows(core, table);
    expect(await rows(again, table), table).toEqual(before);
    found += before.length;
  }
  expect(found).toBeGreaterThan(0);
});

test('texts that would break JSON come back as they were', async () => {
  const core = await openTestCore();
  await core.importJson(hostileOtlp);
  const again = await openTestCore();
  await again.import([(await exported(core)).path]);
  expect(await rows(again, 'spans')).toEqual(await rows(core, 'spans'));
  expect((await rows(again, 'spans')).length).toBe(hostileTexts.length);
});

test('slices only nest on a thread, a link is an arrow between two that are there, a counter has one name in its process', async () => {
  const core = await caseOf('otlp/jaeger-ui', 'jaeger-json', 'chrome-trace', 'dcgm');
  const events = await eventsIn((await exported(core)).path);
  const cut = (micros: number): number => Math.trunc(micros * 1000);
  for (const slices of Map.groupBy(
    events.filter(({ ph }) => ph === 'X'),
    ({ pid, tid }) => `${pid} ${tid}`,
  ).values()) {
    const open: number[] = [];
    for (const { ts, dur, name } of slices) {
      while (open.length > 0 && open.at(-1)! <= cut(ts)) open.pop();
      const end = cut(ts) + cut(dur);
      if (open.length > 0) expect(end, name).toBeLessThanOrEqual(open.at(-1)!);
      open.push(end);
    }
  }
  const begun = new Set(events.filter(({ ph }) => ph === 's').map(({ id }) => id));
  const arrows = events.filter(({ ph }) => ph === 'f');
  expect(arrows.length).toBeGreaterThan(0);
  expect(arrows.filter(({ id }) => !begun.has(id))).toEqual([]);
  const named = events.filter(({ ph, name }) => ph === 'M' && name === 'faultline_series');
  const counters = named.map(({ pid, args }) => `${pid} ${String(args.counter)}`);
  expect(new Set(counters).size).toBe(counters.length);
});

test('a window has all that overlaps it, of chosen entities and their neighbours, and reports what it leaves out', async () => {
  const core = await caseOf('incidents/pdu-sag');
  const all = await exported(core);
  const from_ns = 1_768_047_090_000_000_000n;
  const part = await exported(core, { from_ns, to_ns: from_ns + 5_000_000_000n, entities: null });
  expect(part.rows.events).toBe(3);
  expect(part.rows.points).toBeLessThan(all.rows.points!);
  const evidence = (await eventsIn(part.path)).flatMap(({ args }) => args?.evidence ?? []);
  for (const ref of evidence) expect((await core.api['evidence.get']({ ref: String(ref) })).ref).toBe(ref);
  const one = await exported(core, { from_ns: null, to_ns: null, entities: ['pdu:PDU-B'] });
  expect(one.rows.events).toBeLessThan(all.rows.events!);
  const nowhere = exported(core, { from_ns: 1n, to_ns: 2n, entities: null });
  await expect(nowhere).rejects.toMatchObject({ problem: { code: 'export.empty_window' } });
  const logs = await caseOf('otlp/fluent-bit', 'otlp/gcp-ops');
  expect((await exported(logs)).left_out.join()).toMatch(/histograms and summaries.*log records/);
});

test('every nanosecond of 13 days survives a reader that rounds and one that cuts', async () => {
  await fc.assert(
    fc.property(
      fc.maxSafeInteger().filter((ns) => Math.abs(ns) <= 2 ** 50),
      (ns) => {
        const micros = Number(microsText(ns));
        expect(Math.round(micros * 1000)).toBe(ns);
        expect(Math.trunc(micros * 1000)).toBe(ns);
        const whole = Math.floor(micros);
        expect(whole * 1000 + Math.round((micros - whole) * 1000)).toBe(ns);
      },
    ),
    { numRuns: 20_000 },
  );
});

test('lanes nest whatever overlaps, and hold no more of them than go on at one time', async () => {
  const slice = fc.record({ start: fc.nat(300), length: fc.nat(60), parent: fc.nat(40) });
  await fc.assert(
    fc.property(fc.array(slice, { maxLength: 200 }), (inputSlices) => {
      const lanes = new Lanes();
      const placed = inputSlices
        .map(({ start, length, parent }) => ({ start, end: start + length, parent: `${parent}` }))
        .sort((a, b) => a.start - b.start || b.end - a.end)
        .map((one, i) => ({ ...one, lane: lanes.place({ ...one, key: `${i}` }), key: `${i}` }));
      for (const own of Map.groupBy(placed, ({ lane }) => lane).values()) {
        const open: (typeof own)[number][] = [];
        for (const one of own) {
          while (open.length > 0 && open.at(-1)!.end <= one.start) open.pop();
          const around = open.at(-1);
          // Only in its parent is a slice drawn within another.
          if (around) expect([around.key, one.end <= around.end]).toEqual([one.parent, true]);
          open.push(one);
        }
      }
      const most = Math.max(
        0,
        ...placed.map(({ start }) => placed.filter((o) => o.start <= start && o.end > start).length),
      );
      expect(new Set(placed.map(({ lane }) => lane)).size).toBeLessThanOrEqual(
        most + placed.filter(({ start, end }) => start === end).length + 1,
      );
    }),
  );
});
