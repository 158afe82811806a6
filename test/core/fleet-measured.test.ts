import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

test('without measurements in the time no GPU counts as compared', async () => {
  const core = await memoryCore();
  await core.import([join(import.meta.dirname, '../../fixtures/nvidia-smi/query-gpu-two-h100.csv')]);
  const { first_ns, last_ns } = (await core.api['case.current']({})) as { first_ns: bigint; last_ns: bigint };
  const during = await core.api['gpus.fleet']({ start_ns: first_ns, end_ns: last_ns + 1n, metric: null, buckets: 10 });
  expect(during.gpus).toHaveLength(2);
  expect(during.measured).toBe(2);
  // Two are too few for a reference.
  expect(during.compared).toBe(0);
  const hour = 3_600_000_000_000n;
  const before = await core.api['gpus.fleet']({
    start_ns: first_ns - 2n * hour,
    end_ns: first_ns - hour,
    metric: null,
    buckets: 10,
  });
  expect(before.gpus).toHaveLength(2);
  expect(before.measured).toBe(0);
  expect(before.differences).toEqual([]);
});
