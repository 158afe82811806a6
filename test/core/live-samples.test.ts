import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { deriveEvents } from '../../src/core/analysis/derive/derive-events.ts';
import { SampleTrack } from '../../src/core/analysis/derive/sample-track.ts';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { finishCapture } from '../../src/core/store/live/finish-capture.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { createRandom } from '../../src/main/demo/random.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import type { MetricName } from '../../src/model/telemetry/metric.ts';

const START_NS = 1_767_225_600_000_000_000n;

interface Watched {
  readonly kind: EntityKind;
  readonly id: string;
  readonly metric: MetricName;
  readonly attributes?: Readonly<Record<string, number>>;
  readonly values: readonly number[];
}

/** One of each kind of rule: masks, growth, edges, limits of the device, limits of its own median, caps. */
const watched: readonly Watched[] = [
  { kind: 'gpu', id: 'g', metric: 'hw.gpu.clocks_event_reasons', values: [0, 1, 4, 0x20, 0x80, 0x88] },
  { kind: 'gpu', id: 'g', metric: 'hw.gpu.xid', values: [0, 48, 63, 79] },
  { kind: 'gpu', id: 'g', metric: 'hw.gpu.ecc.uncorrected', values: [0, 1, 2, 9] },
  { kind: 'gpu', id: 'g', metric: 'hw.power.limit', values: [700, 690, 500, 300] },
  { kind: 'pdu', id: 'p', metric: 'hw.voltage', values: [230.1, 229.9, 212, 207.1, 206, 180, 252.9, 254] },
  {
    kind: 'server',
    id: 's',
    metric: 'hw.temperature',

    attributes: { upper_critical: 40 },
    values: [25, 39.9, 39.3, 40.1, 55],
  },
];

async function emptyCase(): Promise<Session> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'live');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  return session;
}

interface Taken {
  readonly series: number;
  readonly feed: number;
  readonly at_s: number;
  readonly value: number;
}

function batchOf(samples: readonly Taken[]) {
  const builder = new BatchBuilder();
  for (const { series, at_s, value } of samples) {
    const { kind, id, metric, attributes, values } = watched[series]!;
    appendSample(builder, {
      metric,
      entity: builder.entity(kind, id),
      time_ns: START_NS + BigInt(Math.round(at_s * 1000)) * 1_000_000n,
      value: values[value % values.length]!,
      ...(attributes ? { attributes } : {}),
    });
  }
  return builder.finish(0);
}

async function reported(session: Session): Promise<string[]> {
  const rows = rowsOf<Record<string, unknown>>(
    await session.query(
      `select e.original_id, e.time_ns, e.message, t.text as type, e.attributes, e.entity from event e
       join name n on n.name_id = e.origin join name t on t.name_id = e.type where n.text = 'derived' order by all`,
    ),
  );
  return rows.map((row) => Object.values(row).map(String).join(' | '));
}

async function atRest(session: Session): Promise<string[]> {
  const derived = await deriveEvents(createReader(session));
  // Two samples of one time that step down and up again have one name for both steps: the last counts.
  return [...new Map(derived.map((event) => [event.id, event])).values()]
    .map(({ id, time_ns, message, type, attributes, entity }) =>
      [id, time_ns, message, type, JSON.stringify(attributes), entity].map(String).join(' | '),
    )
    .sort();
}

const source = (name: string) => ({
  name,
  format: 'test',
  imported_at_ns: 0n,
  clock_offset_ns: 0n,
  clock_uncertainty_ns: 0n,
});

/** Mostly in order of time, now and then late, sometimes twice at one time, by two feeds. */
const sample = fc.record({
  series: fc.nat(watched.length - 1),
  feed: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  later: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(0, 0.5, 1, 1, 1, 2, 12.347, 15) }, fc.constantFrom(-3, -40)),
  value: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(7) }),
});
const flush = fc.record({
  samples: fc.array(sample, { minLength: 1, maxLength: 25 }),
  /** Seconds by which the first feed's clock is found to be off. */
  clock: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom(-20, 3)),
});
const flushes = fc.array(flush, { minLength: 1, maxLength: 8 });

test('what samples show is the same while they come as when all of them are read at rest', async () => {
  await fc.assert(
    fc.asyncProperty(flushes, async (all) => {
      const session = await emptyCase();
      const writer = await LiveWriter.begin(session, await liveDeriver(session));
      const feeds = [writer.add(source('a')), writer.add(source('b'))];
      let at_s = 100;
      for (const { samples: came, clock } of all) {
        if (clock !== null) writer.clock(feeds[0]!, BigInt(clock) * 1_000_000_000n, 0n);
        const samples = came.map(({ later, ...one }) => {
          at_s += Math.max(0, later);
          return { ...one, at_s: Math.max(0, at_s + Math.min(0, later)) };
        });
        for (const [feed, number] of feeds.entries())
          writer.append(number, batchOf(samples.filter((one) => one.feed === feed)));
        await writer.flush();
        expect(await reported(session)).toEqual(await atRest(session));
      }
      const before = await reported(session);
      await finishCapture(session, 'ended', readPlaces);
      expect(await atRest(session)).toEqual(before);
    }),
    { numRuns: 15, endOnFailure: true },
  );
});

test('a capture into a case that has samples goes on where they ended', async () => {
  const session = await emptyCase();
  const steps = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 0, 0];
  const samplesFrom = (from: number) =>
    steps.map((value, i) => ({ series: 4, feed: 0, at_s: from + i, value: value + (i % 2) }));
  for (const from of [0, 100]) {
    const writer = await LiveWriter.begin(session, await liveDeriver(session));
    const feed = writer.add(source(`from ${from}`));
    for (const one of samplesFrom(from)) {
      writer.append(feed, batchOf([one]));
      await writer.flush();
      expect(await reported(session)).toEqual(await atRest(session));
    }
    await finishCapture(session, 'ended', readPlaces);
  }
  expect((await reported(session)).filter((line) => line.includes('voltage_sag'))).toHaveLength(2);
});

test('of a device that measures at random times a few thousand distances are remembered, however long', () => {
  const track = new SampleTrack(1, { isStepped: true, hasMedian: false });
  const random = createRandom(7);
  let clock_ns = START_NS;
  for (let at = 0; at < 50_000; at++) {
    clock_ns += BigInt(Math.round(random.between(1, 3_600_000))) * 1_000_000n;
    track.add({ source_id: 1, time_ns: clock_ns, clock_ns, value: 1 });
  }
  expect(track.remembered).toBeLessThan(4700);
  expect(track.changes()[0]?.floor_s).toBeCloseTo(1800, -2);
});
