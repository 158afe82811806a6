import { expect, test } from 'vitest';
import { ordered, orderWarning } from '../../src/core/analysis/ranking/order.ts';
import type { TypedHypothesis } from '../../src/model/incident/incident.ts';

const hypothesis = (type: string, kind: 'server' | 'service' | null, probability: number): TypedHypothesis => ({
  rank: 0,
  probability,
  subject: kind === null ? null : { kind, id: `one-${kind}` },
  event_id: null,
  type,
  metric: null,
  evidence: [],
});

const cap = (probability: number) => hypothesis('cpu_power_cap', 'server', probability);
const slow = (probability: number) => hypothesis('service_latency', 'service', probability);
const unknown = (probability: number) => hypothesis('insufficient_evidence', null, probability);

const typesOf = (all: readonly TypedHypothesis[]) => ordered(all).map(({ rank, type }) => `${rank} ${type}`);

test('a device that is less probable than all software is not first', () => {
  const all = [cap(0.36), slow(0.28), hypothesis('service_errors', 'service', 0.25), unknown(0.11)];
  expect(typesOf(all)).toEqual(['1 service_latency', '2 cpu_power_cap', '3 service_errors', '4 insufficient_evidence']);
  expect(orderWarning(ordered(all))).toEqual([{ kind: 'no_device_first', devices: 0.36, software: 0.53 }]);
});

test('what is unknown counts neither for devices nor for software', () => {
  expect(typesOf([cap(0.46), slow(0.28), unknown(0.26)])[0]).toBe('1 cpu_power_cap');
  expect(typesOf([cap(0.3), slow(0.2), unknown(0.5)])[0]).toBe('1 insufficient_evidence');
});

test('the most probable is first where devices together are more probable', () => {
  const all = [unknown(0.24), cap(0.39), hypothesis('psu_failover', 'server', 0.37)];
  expect(typesOf(all)).toEqual(['1 cpu_power_cap', '2 psu_failover', '3 insufficient_evidence']);
  expect(orderWarning(ordered(all))).toEqual([]);
});

test('without any hypothesis nothing is stated about their order', () => {
  expect(ordered([])).toEqual([]);
  expect(orderWarning([])).toEqual([]);
});
