import { expect, test } from 'vitest';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import { openTestCore } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';

const YEAR_NS = 365n * 86_400n * 1_000_000_000n;

/** A rack that warms by two degrees per five minutes, and one sample of another entity with a later time. */
function warming(ahead_ns: bigint): Feed {
  return {
    name: 'rack',
    format: 'test-live',
    stampedBy: 'here',
    about: '',
    run: async (sink, signal) => {
      const now = BigInt(Date.now()) * 1_000_000n;
      const builder = new BatchBuilder();
      for (let second = 0; second <= 3600; second += 5)
        appendSample(builder, {
          metric: 'hw.temperature',
          entity: builder.entity('pdu', 'rack-7'),
          time_ns: now - BigInt(3600 - second) * 1_000_000_000n,
          value: 34 - ((3600 - second) * 2) / 300 + 0.01 * (second % 3),
          attributes: { upper_warning: 40 },
        });
      const other = builder.entity('server', 'node-1');
      appendSample(builder, { metric: 'hw.power', entity: other, time_ns: now + ahead_ns, value: 300 });
      sink.take([builder.finish(0)]);
      sink.reportState('up', '');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}

async function captured(ahead_ns: bigint) {
  const core = await openTestCore(undefined, { feeds: openedFeeds([warming(ahead_ns)]) });
  const stop = new AbortController();
  const reported: CaptureEvent[] = [];
  for await (const event of core.api['capture.run']({ plan: 'any' }, { signal: stop.signal })) {
    reported.push(event);
    if (event.kind === 'notice') stop.abort();
  }
  return { core, reported };
}

const remarks = async ({ core }: Awaited<ReturnType<typeof captured>>): Promise<string[]> =>
  ((await core.api['case.current']({}))?.sources ?? []).flatMap((source) => source.remarks);

test('a sample dated a year ahead suppresses no notice, live and afterwards, and gets a remark', async () => {
  const run = await captured(YEAR_NS);
  expect(run.reported).toContainEqual(
    expect.objectContaining({ kind: 'notice', text: expect.stringContaining('rack-7') }),
  );
  const { at_ns, notices } = await run.core.api['notices.list']({});
  expect(notices).toHaveLength(1);
  expect(Number((at_ns ?? 0n) / 1_000_000n)).toBeLessThan(Date.now() + 61_000);
  const info = await run.core.api['case.current']({});
  expect(info?.last_ns ?? 0n).toBeGreaterThan(BigInt(Date.now()) * 1_000_000n + YEAR_NS / 2n);
  const until_s = Number((info?.recorded_until_ns ?? 0n) / 1_000_000_000n);
  expect(until_s).toBeGreaterThan(Date.now() / 1000 - 3600);
  expect(until_s).toBeLessThanOrEqual(Date.now() / 1000);
  expect((await remarks(run)).filter((remark) => /dated up to/.test(remark))).toEqual([
    expect.stringMatching(/^rows are dated up to \d{4}-.*, 365 days later than this machine's clock: they are kept/),
  ]);
  const { rows } = await run.core.api['query.sql']({ sql: "select value from metrics where metric = 'hw.power'" });
  expect(rows).toEqual([[300]]);
});

test('a clock slightly ahead gets no remark', async () => {
  const run = await captured(20_000_000_000n);
  expect((await remarks(run)).filter((remark) => /dated up to/.test(remark))).toEqual([]);
});
