import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import { nanos } from '../../src/model/time.ts';
import { openTestCore } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';

const HOUR_NS = 3_600_000_000_000n;
const nowNs = () => BigInt(Date.now()) * 1_000_000n;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('an outage lies where it was on the clock of the case, also of a feed whose own clock is an hour ahead', async () => {
  const feed: Feed = {
    name: 'bmc',
    format: 'redfish-live',
    stampedBy: 'measured',
    about: '',
    run: async (sink) => {
      const sample = () => {
        const builder = new BatchBuilder();
        const entity = builder.entity('server', 'node-1');
        appendSample(builder, { entity, metric: 'hw.power', time_ns: nanos(nowNs() + HOUR_NS), value: 400 });
        sink.take([builder.finish(0)]);
      };
      sink.reportState('down', 'it does not answer');
      await pause(100);
      sink.clock?.(-HOUR_NS, 1n);
      sink.reportState('up', 'asked');
      sample();
      await pause(100);
      sink.reportState('down', 'it does not answer');
      await pause(100);
      sample();
      sink.reportState('up', 'asked');
    },
  };
  const core = await openTestCore(undefined, { feeds: openedFeeds([feed]) });
  const began = nowNs();
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  const { rows } = await core.api['query.sql']({
    sql: 'select epoch_ns(from_utc)::bigint, epoch_ns(until_utc)::bigint from outages order by 1',
  });
  expect(rows).toHaveLength(2);
  for (const [from, until] of rows.map((row) => row.map((cell) => BigInt(String(cell))))) {
    expect(Number(from! - began) / 1e9).toBeGreaterThanOrEqual(-0.1);
    expect(Number(until! - began) / 1e9).toBeLessThan(30);
    expect(Number(until! - from!) / 1e9).toBeGreaterThan(0.05);
  }
});

test('an outage begins with the question that stayed without an answer, not when it was given up', async () => {
  const began = nowNs();
  const feed: Feed = {
    name: 'bmc',
    format: 'redfish-live',
    stampedBy: 'measured',
    about: '',
    run: async (sink) => {
      sink.reportState('up', 'asked');
      await pause(50);
      sink.reportState('down', 'it has not answered for 10 s', 10_000);
      // Another word for the same silence is no second outage; a second reason is.
      sink.reportState('down', 'it has not answered for 20 s', 20_000);
      sink.reportState('down', 'there is no route to it', 1000);
      await pause(50);
      sink.reportState('up', 'asked');
    },
  };
  const core = await openTestCore(undefined, { feeds: openedFeeds([feed]) });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  const { rows } = await core.api['query.sql']({
    sql: 'select reason, epoch_ns(from_utc)::bigint, epoch_ns(until_utc)::bigint from outages order by 2',
  });
  expect(rows.map(([reason]) => reason)).toEqual(['it has not answered for 20 s', 'there is no route to it']);
  const [[, from, until], [, next, end]] = rows as [unknown[], unknown[]];
  expect(Number(BigInt(String(from)) - began) / 1e9).toBeLessThan(-15);
  expect(until).toEqual(next);
  expect(BigInt(String(end)) - BigInt(String(next))).toBeGreaterThan(900_000_000n);
  const remarks = (await core.api['case.current']({}))?.sources[0]?.remarks ?? [];
  expect(remarks.filter((text) => text.includes('nothing was received'))).toHaveLength(1);
});
