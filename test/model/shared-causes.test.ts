import { expect, test } from 'vitest';
import type { Hypothesis } from '../../src/model/incident/incident.ts';
import { bySharedCause } from '../../src/model/incident/shared-causes.ts';

const incident = (from: number, to: number, cause: string, probability = 0.8, type = 'ups_transfer') => {
  const time = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const subject = cause === '' ? null : { kind: 'ups', id: cause };
  const leading: Hypothesis = {
    ...{ rank: 1, probability, subject, event_id: null, metric: null, evidence: [] },
    type: cause === '' ? 'no_physical_cause' : type,
  };
  return { incident: { window_start: time(from), window_end: time(to) }, leading };
};
const sizes = (...incidents: readonly ReturnType<typeof incident>[]): number[] =>
  bySharedCause(incidents).map(({ members }) => members.length);

test('impacts at one time that name one entity are one incident, by whatever event they name it', () => {
  const [one, other] = [incident(0, 10, 'ups-1', 0.6), incident(8, 30, 'ups-1', 0.9, 'voltage_sag')];
  expect(sizes(one, other)).toEqual([2]);
  expect(bySharedCause([one, other])[0]?.cause).toBe(other.leading);
  expect(sizes(one, other, incident(29, 40, 'ups-1'))).toEqual([3]);
});

test('an impact at another time, by another entity, or without a named one stays alone', () => {
  expect(sizes(incident(0, 10, 'ups-1'), incident(11, 20, 'ups-1'))).toEqual([1, 1]);
  expect(sizes(incident(0, 10, 'ups-1'), incident(0, 10, 'ups-2'))).toEqual([1, 1]);
  expect(sizes(incident(0, 10, ''), incident(0, 10, ''))).toEqual([1, 1]);
  expect(sizes(incident(0, 10, 'ups-1', 0.2), incident(0, 10, 'ups-1', 0.2))).toEqual([1, 1]);
  expect(bySharedCause([incident(0, 10, 'ups-1')])[0]?.cause).toBeNull();
});
