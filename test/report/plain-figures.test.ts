import { expect, test } from 'vitest';
import { path } from '../../src/core/analysis/evidence/path.ts';
import { timeEvidence } from '../../src/core/analysis/ranking/event-evidence/time.ts';
import { figure } from '../../src/core/report/report-text.ts';
import { requestsText } from '../../src/model/incident/affected-requests.ts';

test('latencies of ten seconds and more are in seconds', () => {
  expect([figure(876.1, 'ms'), figure(84_900.1, 'ms'), figure(84_900.1, 'W')]).toEqual([
    '876.1 ms',
    '84.9 s',
    '84900.1 W',
  ]);
  const slow = requestsText({ total: 683, failed: null, slow: 324, slow_above_ms: 16_844.4 });
  expect(slow).toBe('683 requests, of which at least 324 took longer than 16.84 s, the P99 of the baseline');
});

test('no recording shows that something happens always, or at no time', () => {
  const share = (value: number): string => path.text({ of: 'event', service: 'ranker', share: value }, () => '');
  expect(share(0.9999)).toBe('known mechanisms lead from it to ranker in more than 99 % of cases');
  expect(share(0.62)).toBe('known mechanisms lead from it to ranker in 62 % of cases');
  const timing = timeEvidence.kinds!.find(({ id }) => id === 'timing')!;
  expect(timing.text({ lag_s: 0.01 }, () => '')).toBe('at the time of the first anomaly');
  expect(timing.text({ lag_s: 0.7 }, () => '')).toBe('0.7 s before the first anomaly');
});
