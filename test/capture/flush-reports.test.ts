import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Feed, FeedSink } from '../../src/model/storage/feed.ts';
import { nanos } from '../../src/model/time.ts';
import { pause } from '../support/capture-run.ts';
import { openTestCore } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';

function samples(count: number): RowBatch {
  const builder = new BatchBuilder();
  const entity = builder.entity('pdu', 'PDU-A');
  const time_ns = nanos(BigInt(Date.now()) * 1_000_000n);
  for (let i = 0; i < count; i++) appendSample(builder, { entity, metric: 'hw.power', time_ns, value: i });
  return builder.finish(0);
}

test('rows that arrive during a flush are not reported as written by it', async () => {
  let during: FeedSink | undefined;
  const feed: Feed = {
    name: 'PDU',
    format: 'test-live',
    about: '',
    stampedBy: 'here',
    run: async (sink, signal) => {
      during = sink;
      sink.take([samples(6000)]);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  const feeds = {
    ...openedFeeds([feed]),
    // Others get their turn in the middle of a flush of so many rows.
    wait: async (milliseconds: number) => {
      if (milliseconds > 0) return pause(Math.min(50, milliseconds));
      during?.take([samples(10)]);
      during = undefined;
    },
  };
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const flushTimes: number[] = [];
  for await (const event of core.api['capture.run']({ plan: 'any' }, { signal: stop.signal })) {
    if (event.kind === 'ended') expect(event.feeds[0]?.rows).toBe(6010);
    if (event.kind === 'written' && event.rows > 0) flushTimes.push(event.rows);
    if (flushTimes.at(-1) === 6010) stop.abort();
  }
  expect([...new Set(flushTimes)]).toEqual([6000, 6010]);
});
