import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromSpans } from '../../src/core/analysis/impact/request-buckets.ts';
import type { RequestBucketFact } from '../../src/core/store/facts/reader.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

async function reportOf(...lines: readonly string[]) {
  const core = await memoryCore();
  const file = join(await temporaryFolder(), 'recording.txt');
  await writeFile(file, ['# Faultline recording from 2026-01-01T00:00:00Z', ...lines, ''].join('\n'));
  await core.import([file]);
  const incidents = await core.api['incidents.list']({});
  return { incidents, text: (await core.api['report.render']({})).text };
}
const spans = (from: number, to: number, every: number, took: number, attributes: object = {}) =>
  `spans ${from}..${to} service:chat every ${every} took ${took} POST ${JSON.stringify(attributes)}`;

test('spans that had not ended at the end of a recording are no lack of requests, and no recovery', async () => {
  // Three of four requests take a minute from 900 s on; the recording ends at 1200 s, so that of those after 1140 s none is in it.
  const { incidents, text } = await reportOf(
    spans(0, 900, 0.25, 2),
    spans(900, 1198, 1, 2),
    spans(900.1, 1140, 0.34, 60),
  );
  expect(incidents).toHaveLength(1);
  const { impact } = incidents[0]!.incident;
  expect(impact.p99_peak_ms).toBeGreaterThan(59_000);
  expect(impact.throughput_peak_rps).toBeGreaterThan(3);
  expect(text).toContain('its recovery was not recorded');
});

test('requests that failed while others had not ended are not all of them; that as many fail as usually come is known', () => {
  const s = 1_000_000_000n;
  const last = (requests: number) =>
    Array.from({ length: 60 }, (_, i): RequestBucketFact => {
      const time_ns = BigInt(i + 1) * 10n * s;
      const isLast = i >= 54;
      return {
        ...{
          service: 1,
          width_ns: 10n * s,
          time_ns,
          first_ns: time_ns - 9n * s,
          last_ns: time_ns,
          last_end_ns: 601n * s,
        },
        ...{ requests: isLast ? requests : 40, throughput: isLast ? requests / 10 : 4, error_rate: isLast ? 100 : 2 },
        ...{ p30: 1000, p50: 50_000, p70: 60_000, p95: 70_000, p99: 80_000 },
      };
    });
  const errorsAtEnd = (requests: number) => fromSpans(last(requests))[0]!.error_rate.at(-1);
  expect(errorsAtEnd(2)).toBeNaN();
  expect(errorsAtEnd(40)).toBe(100);
});

test('a recovery long before the end of a recording is one', async () => {
  const calm = [spans(0, 900, 0.25, 2), spans(1020, 1400, 0.25, 2)];
  const { text } = await reportOf(...calm, spans(900, 1020, 1, 2), spans(900.1, 1020, 0.34, 60));
  expect(text).toMatch(/was back to normal at 2026-01-01 00:17:/);
});

test('requests of an incident of several tenants are those of all of them', async () => {
  const of = (tenant: string, took: number, from: number, to: number) =>
    spans(from, to, 1, took, { 'tenant.id': tenant });
  const all = ['r0', 'r1', 'r2', 'r3', 'r4'];
  const { incidents, text } = await reportOf(
    ...all.map((one) => of(one, 0.3, 0, 900)),
    ...all.map((one, i) => of(one, i < 2 ? 3 : 0.3, 900, 1200)),
    ...all.map((one) => of(one, 0.3, 1200, 1500)),
  );
  expect(incidents[0]!.incident.affected_parts).toHaveLength(2);
  expect(text).toMatch(/It had about (5[5-9]|6[0-4])\d requests/);
});
