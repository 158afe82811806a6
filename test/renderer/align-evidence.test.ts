import { expect, test } from 'vitest';
import type { Evidence } from '../../src/model/incident.ts';
import { alignEvidence } from '../../src/renderer/views/causes/align-evidence.ts';

const line = (text: string, weight: number, ...refs: string[]): Evidence => ({
  sign: weight > 0 ? 'for' : weight < 0 ? 'against' : 'neutral',
  weight,
  text,
  refs,
});
const texts = (left: readonly Evidence[], right: readonly Evidence[]) =>
  alignEvidence(left, right).map((row) => [row.left?.text ?? null, row.right?.text ?? null]);

test('sentences of one kind stand beside each other whatever they name and count', () => {
  expect(
    texts(
      [
        line('explains psu_failover on node-1, node-2 and 4 more, 0.7 s later', 2.7),
        line('7.6 s before the first anomaly', 0.1),
      ],
      [line('6.5 s before the first anomaly', 0.14), line('explains psu_failover on PSU-7, 1.2 s later', 1)],
    ),
  ).toEqual([
    ['explains psu_failover on node-1, node-2 and 4 more, 0.7 s later', 'explains psu_failover on PSU-7, 1.2 s later'],
    ['7.6 s before the first anomaly', '6.5 s before the first anomaly'],
  ]);
});

test('of several of one kind those about the same type of event stand together', () => {
  const [first, second] = texts(
    [line('explains cpu_power_cap on a-1, 1 s later', 1), line('explains thermal_throttle on a-2, 2 s later', 5)],
    [line('explains thermal_throttle on b-1, 3 s later', 1), line('explains cpu_power_cap on b-2, 4 s later', 1)],
  );
  expect(first).toEqual(['explains thermal_throttle on a-2, 2 s later', 'explains thermal_throttle on b-1, 3 s later']);
  expect(second).toEqual(['explains cpu_power_cap on a-1, 1 s later', 'explains cpu_power_cap on b-2, 4 s later']);
});

test('what is known of two types stands together although it says the opposite', () => {
  expect(
    texts(
      [
        line('voltage_sag is known to start incidents', 1.8, 'mechanism:voltage_sag'),
        line('reported as critical', 0.7, 'event:1'),
      ],
      [line('power_cap is usually an effect of something else, or harmless', -0.8, 'mechanism:power_cap')],
    ),
  ).toEqual([
    ['voltage_sag is known to start incidents', 'power_cap is usually an effect of something else, or harmless'],
    ['reported as critical', null],
  ]);
});

test('what tells them apart most stands first, with its difference; what one lacks weighs nothing', () => {
  const rows = alignEvidence(
    [line('reported as critical', 0.7, 'event:1'), line('one of the events near the first anomaly (prior)', 1.7)],
    [
      line('itself explained by voltage_sag on PDU-B, 1 s before', -2.4, 'event:1'),
      line('one of the events near the first anomaly (prior)', 1.7),
      line('reported as high', 0.36, 'event:2'),
    ],
  );
  expect(rows.map(({ difference }) => Number(difference.toFixed(2)))).toEqual([2.4, 0.34, 0]);
  expect(rows[0]).toMatchObject({ left: null, right: { weight: -2.4 } });
  expect(alignEvidence([], [])).toEqual([]);
});
