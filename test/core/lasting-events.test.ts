import { describe, expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const DAY = 86_400;
const OLD = -296 * DAY;

/** Two recordings, 300 days apart: the second begins within the trouble, so that the last normal measurement is of the first. */
const apart = [
  ...service('inference', { from: -300 * DAY, to: -300 * DAY + 1200 }),
  ...service('inference', { from: 700, to: 1000 }),
];

async function suspects(rows: readonly unknown[], ...events: ReturnType<typeof event>[]): Promise<(string | null)[]> {
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: rows }, topology);
  const found = await core.api['incidents.list']({});
  expect(found).toHaveLength(1);
  return (found[0]?.incident.hypotheses ?? []).flatMap(({ event_id }) => event_id ?? []);
}

describe('what lies between two recordings', () => {
  test('was over in a moment, months before: it is no suspect', async () => {
    const old = event('old', OLD, 'kernel', 'memory_error', 'server-1');
    expect(await suspects(apart, old)).toEqual([]);
    // The same right before the first anomaly is one.
    expect(await suspects(apart, old, event('new', 690, 'kernel', 'memory_error', 'server-1'))).toEqual(['new']);
  });

  test('lasts until a recorded repair', async () => {
    const failed = event('failed', OLD, 'redfish', 'psu_failure', 'server-1');
    const mended = (at: number) => event('mended', at, 'redfish', 'psu_restored', 'server-1', 'low');
    expect(await suspects(apart, failed)).toEqual(['failed']);
    expect(await suspects(apart, failed, mended(OLD + DAY))).not.toContain('failed');
    expect(await suspects(apart, failed, mended(OLD - DAY))).toContain('failed');
    expect(await suspects(apart, failed, mended(850))).toContain('failed');
  });
});

test('between two measurements that lie as far apart as usual everything may have been the cause', async () => {
  const hours = Array.from({ length: 40 }, (_, hour) => {
    const [row] = service('inference', { from: hour * 7200, to: hour * 7200, onset: 30 * 7200, end: 32 * 7200 });
    return row;
  });
  const before = event('early', 30 * 7200 - 6000, 'kernel', 'memory_error', 'server-1');
  expect(await suspects(hours, before)).toContain('early');
});
