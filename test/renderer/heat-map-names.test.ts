import { expect, test } from 'vitest';
import { nameWidths } from '../../src/renderer/widgets/heat-map-rows.tsx';

const widthOf = (...names: readonly string[]): number =>
  Number.parseInt(Object.values(nameWidths([...names.keys()], (row) => names[row]!))[1] as string, 10);

test('the column of names is as wide as its longest name, within bounds', () => {
  const usual = widthOf('rank 0', 'rank 4095');
  expect(widthOf('rank 0')).toBe(usual);
  const host = widthOf('rank 0', 'trainer-worker-12.train.svc');
  expect(host).toBeGreaterThan(2 * usual);
  expect(widthOf('trainer-worker-12.train.svc', 'x'.repeat(500))).toBeGreaterThan(host);
  expect(widthOf('x'.repeat(500))).toBe(widthOf('x'.repeat(5000)));
});
