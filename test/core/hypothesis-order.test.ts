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

test('a device that is less probable than all answers without one is not first', () => {
  const all = [cap(0.36), slow(0.28), hypothesis('service_errors', 'service', 0.25), unknown(0.11)];
  expect(typesOf(all)).toEqual(['1 service_latency', '2 cpu_power_cap', '3 service_errors', '4 insufficient_evidence']);
  expect(orderWarning(ordered(all))).toEqual([{ kind: 'no_device_first', device: 0.36, others: 0.64 }]);
});

test('what is unknown counts among the answers without a device', () => {
  expect(typesOf([cap(0.46), slow(0.28), unknown(0.26)])[0]).toBe('1 service_latency');
  expect(typesOf([cap(0.46), slow(0.2), unknown(0.34)])[0]).toBe('1 insufficient_evidence');
  expect(typesOf([cap(0.52), slow(0.28), unknown(0.2)])[0]).toBe('1 cpu_power_cap');
});

test('software that is the most probable is first without a remark', () => {
  const all = [slow(0.5), cap(0.4), unknown(0.1)];
  expect(typesOf(all)[0]).toBe('1 service_latency');
  expect(orderWarning(ordered(all))).toEqual([]);
});

test('of several devices the most probable is first where it is more probable than what is unknown', () => {
  const all = [unknown(0.24), cap(0.39), hypothesis('psu_failover', 'server', 0.37)];
  expect(typesOf(all)).toEqual(['1 cpu_power_cap', '2 psu_failover', '3 insufficient_evidence']);
  expect(orderWarning(ordered(all))).toEqual([]);
});

test('without any hypothesis nothing is stated about their order', () => {
  expect(ordered([])).toEqual([]);
  expect(orderWarning([])).toEqual([]);
});
