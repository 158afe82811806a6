import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { ClockStep, Feed, FeedSink } from '../../src/model/storage/feed.ts';
import { nanos } from '../../src/model/time.ts';
import { openTestCore } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';

const nowNs = () => BigInt(Date.now()) * 1_000_000n;

function samples(times: readonly bigint[]): RowBatch {
  const builder = new BatchBuilder();
  const entity = builder.entity('server', 'node-1');
  for (const time_ns of times)
    appendSample(builder, { entity, metric: 'hw.power', time_ns: nanos(time_ns), value: 400 });
  return builder.finish(0);
}

test('a poll that was dated before the step of the clock was noticed lies after the gap of that step', async () => {
  const steps: ClockStep[] = [];
  const feed: Feed = {
    name: 'node',
    format: 'prometheus-live',
    stampedBy: 'here',
    about: '',
    run: async (sink) => {
      const to_ns = nowNs();
      sink.take([samples([to_ns - 601_000_000_000n])]);
      steps.push({ from_ns: to_ns - 600_000_000_000n, to_ns, slept: false });
      sink.take([samples([to_ns - 200_000_000n])]);
      sink.take([samples([to_ns + 800_000_000n])]);
    },
  };
  const clockSteps = () => ({ next: () => steps.shift() ?? null });
  const core = await openTestCore(undefined, { feeds: { ...openedFeeds([feed]), clockSteps } });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  const sql = `select (select count(*) from metrics where time_utc > from_utc and time_utc < until_utc)::integer, (epoch_ms(until_utc) - epoch_ms(from_utc))::integer from outages`;
  expect((await core.api['query.sql']({ sql })).rows).toEqual([[0, 599_800]]);
});

test.each([
  ['set forward', false, 0],
  ['not there while it slept', true, 1],
])(
  'a clock of this machine that was %s is a gap of what senders stamp only without reception',
  async (_, slept, gaps) => {
    const steps: ClockStep[] = [];
    const feed: Feed = {
      name: 'senders',
      format: 'otlp-live',
      stampedBy: 'sender',
      about: '',
      run: async (sink) => {
        const to_ns = nowNs();
        steps.push({ from_ns: to_ns - 600_000_000_000n, to_ns, slept });
        sink.take([samples([to_ns - 599_000_000_000n])]);
      },
    };
    const clockSteps = () => ({ next: () => steps.shift() ?? null });
    const core = await openTestCore(undefined, { feeds: { ...openedFeeds([feed]), clockSteps } });
    for await (const _ of core.api['capture.run']({ plan: 'any' }));
    expect((await core.api['query.sql']({ sql: 'select count(*)::integer from outages' })).rows).toEqual([[gaps]]);
    expect((await core.api['case.current']({}))?.sources[0]?.remarks).toContainEqual(
      expect.stringMatching(/^this machine's clock was set forward by 10 min, or it slept, until /),
    );
  },
);

test('the case has a write time at or after the time of each row, also of one that came while others were written', async () => {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'live');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  let now = 1_767_225_600_000_000_000n;
  let comes: (() => void) | null = null;
  const writer = await LiveWriter.begin(session, await liveDeriver(session), {
    now: () => now,
    breathe: async () => comes?.(),
  });
  const source = { format: 'prometheus-live', imported_at_ns: now, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const [many, late] = [writer.add({ ...source, name: 'many' }), writer.add({ ...source, name: 'late' })];
  writer.append(many, samples(Array.from({ length: 6000 }, (_, i) => now + BigInt(i))));
  comes = () => {
    comes = null;
    now += 1_000_000_000n;
    writer.append(late, samples([now]));
  };
  await writer.flush();
  const [row] = rowsOf<{ written: bigint; last: bigint }>(
    await session.query(
      `select (select value::bigint from meta where key = 'capture_written') as written, max(last_ns) as last from source`,
    ),
  );
  expect(row?.last).toBe(now);
  expect(row?.written).toBe(now);
});

afterEach(() => void vi.restoreAllMocks());

/** Outages of a feed with these rows and reports in sequence: seconds after `now`. */
async function outagesOf(what: (sink: FeedSink, at: (seconds: number) => bigint) => void): Promise<unknown> {
  const began_ms = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(began_ms + 20_000);
  const began_ns = BigInt(began_ms) * 1_000_000n;
  const at = (seconds: number) => began_ns + BigInt(Math.round(seconds * 1000)) * 1_000_000n;
  const feed: Feed = {
    name: 'node',
    format: 'prometheus-live',
    stampedBy: 'here',
    about: '',
    run: async (sink) => what(sink, at),
  };
  const core = await openTestCore(undefined, { feeds: openedFeeds([feed]) });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  const offset = (time: string) => `round((epoch_ms(${time}) - ${began_ms}) / 1e3, 1)::double`;
  return (
    await core.api['query.sql']({ sql: `select ${offset('from_utc')}, ${offset('until_utc')} from outages order by 1` })
  ).rows;
}

test('a poll that was held up midway is in no gap of the time that it took: that is before it and after it', async () => {
  const rows = await outagesOf((sink, at) => {
    sink.take([samples([at(10)])]);
    sink.take([samples([at(14), at(14.2)])]);
    // From ten seconds ago until now.
    sink.missed?.(10_000);
    sink.take([samples([at(20.1)])]);
  });
  expect(rows).toEqual([
    [10, 14],
    [14.2, 20],
  ]);
});

test('an outage ends with the first row that is later than its begin, also of a poll that began before it', async () => {
  const rows = await outagesOf((sink, at) => {
    sink.reportState('down', 'it does not answer', 8000);
    sink.reportState('up', 'asked');
    sink.take([samples([at(11)])]);
    sink.take([samples([at(11.9), at(19)])]);
    sink.take([samples([at(19.5)])]);
  });
  expect(rows).toEqual([[12, 19]]);
});
