import { expect, test } from 'vitest';
import { subjectName } from '../../src/model/incident/incident.ts';

const nameOf = (...ids: readonly string[]): string => {
  const [first, ...also] = ids.map((id) => ({ kind: 'rank', id }));
  return subjectName({ subject: first!, also });
};

test('a few subjects are named, of hundreds the first ones', () => {
  expect(nameOf('UPS-A', 'UPS-B')).toBe('UPS-A and UPS-B');
  const ranks = Array.from({ length: 300 }, (_, rank) => `rank-${rank}`);
  expect(nameOf(...ranks)).toBe('rank-0, rank-1, rank-2 and 297 more');
});
