import { expect, test } from 'vitest';
import { eventWithMessage, first, healthy, incidentsOf, metrics, of } from '../support/by-hand.ts';

/** Cases without records of devices: what is known of the services is all that can be judged. */

const calls = `
  service|web calls service|stock
  service|web calls service|price
`;
const slow = [metrics('web'), metrics('stock', { p99: 3000 }), healthy('price')];
const carrierOf = (hypothesis: ReturnType<typeof first>) =>
  hypothesis?.evidence.find(({ kind }) => kind === 'carrier_not_recorded');

test('the service where it begins is named, and that what it runs on was not recorded', async () => {
  const web = of(await incidentsOf(calls, ...slow), 'web');
  expect(first(web)).toMatchObject({ subject: { kind: 'service', id: 'stock' }, type: 'service_latency' });
  expect(first(web)?.probability).toBeGreaterThan(0.7);
  expect(carrierOf(first(web))?.text).toBe('counts for a device below stock as well: what it runs on was not recorded');
  // The lines of each add up to its log-odds, so those of the first are more.
  const sums = web?.hypotheses.map(({ evidence }) => evidence.reduce((sum, { weight }) => sum + weight, 0));
  expect(sums?.toSorted((one, other) => other - one)).toEqual(sums);
  const total = web?.hypotheses.reduce((sum, { probability }) => sum + probability, 0);
  expect(total).toBeCloseTo(1, 2);
});

test('of one service alone nothing shows that it begins there', async () => {
  const web = of(await incidentsOf(calls, metrics('web')), 'web');
  expect(first(web)?.type).toBe('insufficient_evidence');
});

test('where a device may be the cause, what was not recorded stays "not enough evidence"', async () => {
  const sag = eventWithMessage(690, 'pdu_snmp', 'voltage_sag', 'PDU-7', 'critical');
  const web = of(await incidentsOf(calls, { events: [sag] }, ...slow), 'web');
  expect(web?.hypotheses.some(({ subject }) => subject?.id === 'PDU-7')).toBe(true);
  expect(web?.hypotheses.flatMap((one) => carrierOf(one) ?? [])).toEqual([]);
});
