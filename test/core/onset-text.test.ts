import { expect, test } from 'vitest';
import { onsetText } from '../../src/core/api/incidents/onset-text.ts';
import type { Impact } from '../../src/model/incident/incident.ts';

const unknown: Impact = {
  ...{ p99_baseline_ms: null, p99_peak_ms: null, p99_change_percent: null },
  ...{ p99_first_anomaly_ms: null, p99_first_change_percent: null },
  ...{ error_rate_baseline_percent: null, error_rate_peak_percent: null, error_rate_first_anomaly_percent: null },
  ...{ throughput_baseline_rps: null, throughput_peak_rps: null, throughput_first_anomaly_rps: null },
  ...{ throughput_first_change_percent: null, estimated_cost_impact_usd: null },
};
const p99 = (before: number, first: number, peak: number) => ({
  ...{ p99_baseline_ms: before, p99_first_anomaly_ms: first, p99_peak_ms: peak },
});
const errors = (before: number, first: number, peak: number) => ({
  error_rate_baseline_percent: before,
  error_rate_first_anomaly_percent: first,
  error_rate_peak_percent: peak,
});

test.each([
  ['what got worse, and nothing that did not', { ...p99(115, 113, 181), ...errors(0, 6, 28) }, 'errors 0 to 6 %'],
  ['both', { ...p99(100, 300, 400), ...errors(0, 2, 5) }, 'P99 100 to 300 ms, errors 0 to 2 %'],
  ['what got worse later', p99(100, 90, 400), 'later P99 100 to 400 ms'],
  ['no figure that is not known', {}, 'its typical requests took longer'],
  [
    'requests that did not come',
    { ...p99(100, 90, 100), throughput_baseline_rps: 5, throughput_first_anomaly_rps: 1, throughput_peak_rps: 0 },
    'throughput 5 to 1 req/s',
  ],
])('the end of a chain states %s', (_, impact, text) =>
  expect(onsetText({ ...unknown, ...impact }, 'requests')).toBe(text),
);
