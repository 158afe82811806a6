import { expect, test } from 'vitest';
import { changesText } from '../../src/core/analysis/evidence/numbers.ts';

test('a temperature is stated in °C, not in the code of its unit', () => {
  const change = { on: 'GPU-0', before: 72, after: 50, isChanged: true, isComparedWithPeers: true };
  const changes = [
    { ...change, metric: 'hw.temperature', unit: 'Cel' },
    { ...change, metric: 'share', unit: '1' },
  ];
  expect(changesText({ changes })).toBe(
    'hw.temperature of GPU-0 fell from 72 to 50 °C during the impact, unlike its peers; share of GPU-0 fell from 72 to 50 during the impact, unlike its peers',
  );
});
