import { expect, test } from 'vitest';
import type { LogLevel } from '../../src/model/contract/index.ts';
import { levelPath, logVolume } from '../../src/renderer/draw/text/log-volume.ts';

const level = (name: LogLevel, ...counts: readonly number[]) => ({ level: name, counts: Float64Array.from(counts) });

test('lines over time by level; unknown severities are among the others', () => {
  expect(
    logVolume([
      level('fatal', 2, 0),
      level('error', 1, 0),
      level('warn', 0, 4),
      level('info', 3, 1),
      level('unknown', 1, 1),
    ]),
  ).toEqual({
    counts: { error: [3, 0], warn: [0, 4], other: [4, 2] },
    most: 7,
    totals: { error: 3, warn: 4, other: 6 },
  });
  expect(logVolume([])).toEqual({
    counts: { error: [], warn: [], other: [] },
    most: 1,
    totals: { error: 0, warn: 0, other: 0 },
  });
});

test('bars stand on those of worse levels', () => {
  const volume = logVolume([level('error', 1, 0), level('info', 3, 2)]);
  const size = { width: 20, height: 40 };
  expect(levelPath(volume, 'error', size)).toBe('M0.0 40.0h9.0v-10.0h-9.0z');
  expect(levelPath(volume, 'other', size)).toBe('M0.0 30.0h9.0v-30.0h-9.0zM10.0 40.0h9.0v-20.0h-9.0z');
});
