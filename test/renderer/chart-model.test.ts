import { expect, test } from 'vitest';
import type { Table } from '../../src/model/contract/index.ts';
import {
  chartData,
  firstDrawing,
  heightRange,
  MOST_NAMES,
  MOST_SERIES,
} from '../../src/renderer/draw/tables/chart-model.ts';

const table = (columns: readonly (readonly [string, string])[], rows: Table['rows']): Table => ({
  columns: columns.map(([name, type]) => ({ name, type })),
  rows,
  truncated: false,
});

test('several rows of one instant become series by name, each in time order', () => {
  const result = table(
    [
      ['minute', 'TIMESTAMP'],
      ['service', 'VARCHAR'],
      ['p99', 'DOUBLE'],
    ],
    [
      ['2026-01-10 12:01:00', 'web', 3],
      ['2026-01-10 12:00:00', 'web', 1],
      ['2026-01-10 12:00:00', 'seat', 2],
      ['2026-01-10 12:01:00', 'seat', null],
    ],
  );
  const data = chartData(result, firstDrawing(result));
  expect(data.kind).toBe('time');
  expect(data.series).toEqual([
    {
      title: 'web',
      points: [
        { x: 0, y: 1 },
        { x: 60, y: 3 },
      ],
    },
    {
      title: 'seat',
      points: [
        { x: 0, y: 2 },
        { x: 60, y: null },
      ],
    },
  ]);
  expect(data.left).toBe(0);
});

test('names become bars from zero, up to a limit; the others are counted', () => {
  const asked = table(
    [
      ['service', 'VARCHAR'],
      ['failed', 'BIGINT'],
    ],
    Array.from({ length: MOST_NAMES + 5 }, (_, at) => [`s${at}`, at + 10]),
  );
  const data = chartData(asked, firstDrawing(asked));
  expect(data.kind).toBe('name');
  expect(data.names).toHaveLength(MOST_NAMES);
  expect(data.left).toBe(5);
  expect(heightRange(data)).toEqual([0, MOST_NAMES + 9]);
});

test('nanoseconds as digits are instants at full precision, and ids have no height', () => {
  const asked = table(
    [
      ['time_ns', 'BIGINT'],
      ['event_id', 'INTEGER'],
      ['value', 'DOUBLE'],
    ],
    [
      ['1767225600000000007', 1, 5],
      ['1767225600000000009', 2, 6],
    ],
  );
  const drawing = firstDrawing(asked);
  expect(drawing).toEqual({ along: 0, heights: [2], by: null });
  const data = chartData(asked, drawing);
  expect(data.origin).toBe(1767225600000000007n);
  expect(data.series[0]?.points.map(({ x }) => x)).toEqual([0, 2e-9]);
});

test('beyond the limit, the smallest series are omitted and counted', () => {
  const names = Array.from({ length: MOST_SERIES + 2 }, (_, at) => `s${at}`);
  const asked = table(
    [
      ['t', 'TIMESTAMP'],
      ['service', 'VARCHAR'],
      ['n', 'INTEGER'],
    ],
    names.flatMap((name, at) => Array.from({ length: 20 - at }, (_, i) => [`2026-01-10 12:00:${10 + i}`, name, i])),
  );
  const data = chartData(asked, firstDrawing(asked));
  expect(data.series.map(({ title }) => title)).toEqual(names.slice(0, MOST_SERIES));
  expect(data.left).toBe(14 + 13);
});

test('a table without numbers has no chart', () => {
  const asked = table([['service', 'VARCHAR']], [['web']]);
  expect(firstDrawing(asked).heights).toEqual([]);
});
