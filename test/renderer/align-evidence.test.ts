import { expect, test } from 'vitest';
import type { Evidence } from '../../src/model/incident/incident.ts';
import { alignEvidence } from '../../src/renderer/views/causes/align-evidence.ts';

const line = (kind: string, weight: number, parameters: Evidence['parameters'] = {}, text = ''): Evidence => ({
  kind,
  parameters,
  sign: weight > 0 ? 'for' : weight < 0 ? 'against' : 'neutral',
  weight,
  text,
  refs: [],
});
const kinds = (left: readonly Evidence[], right: readonly Evidence[]) =>
  alignEvidence(left, right).map((row) => [row.left?.parameters ?? null, row.right?.parameters ?? null]);

test('pairs evidence of one kind whatever names, counts and texts it has', () => {
  const [psu, lag] = [{ type: 'psu_failover', devices: 6 }, { lag_s: 7.6 }];
  const [other, shorter] = [{ type: 'breaker_trip', devices: 1 }, { lag_s: 6.5 }];
  expect(
    kinds(
      [line('explains', 2.7, psu, 'explains psu failover'), line('timing', 0.1, lag)],
      [line('timing', 0.14, shorter, 'in other words'), line('explains', 1, other, 'accounts for a tripped breaker')],
    ),
  ).toEqual([
    [psu, other],
    [lag, shorter],
  ]);
});

test('pairs several of one kind by event type', () => {
  const about = (type: string, on: string) => ({ type, on });
  expect(
    kinds(
      [line('explains', 1, about('cpu_power_cap', 'a-1')), line('explains', 5, about('thermal_throttle', 'a-2'))],
      [line('explains', 1, about('thermal_throttle', 'b-1')), line('explains', 1, about('cpu_power_cap', 'b-2'))],
    ),
  ).toEqual([
    [about('thermal_throttle', 'a-2'), about('thermal_throttle', 'b-1')],
    [about('cpu_power_cap', 'a-1'), about('cpu_power_cap', 'b-2')],
  ]);
});

test('pairs priors of any hypotheses; unpaired evidence gets a row of its own', () => {
  const [event, silent, severity] = [{ of: 'event' }, { device: 'PDU-B' }, { severity: 0 }];
  expect(
    kinds([line('prior_event', 4, event), line('severity', 0.7, severity)], [line('prior_silent', -9, silent)]),
  ).toEqual([
    [event, silent],
    [severity, null],
  ]);
});

test('sorts by difference; missing evidence counts as 0', () => {
  const rows = alignEvidence(
    [line('severity', 0.7), line('prior_event', 1.7)],
    [line('explained', -2.4), line('prior_event', 1.7), line('severity', 0.36)],
  );
  expect(rows.map(({ difference }) => Number(difference.toFixed(2)))).toEqual([2.4, 0.34, 0]);
  expect(rows[0]).toMatchObject({ left: null, right: { weight: -2.4 } });
  expect(alignEvidence([], [])).toEqual([]);
});
