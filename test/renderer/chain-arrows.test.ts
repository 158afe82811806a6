import { describe, expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import { timeScale } from '../../src/renderer/draw/canvas/time-scale.ts';
import {
  arrowStyle,
  type ChainMark,
  drawArrow,
  drawChain,
  hitMark,
  placeMarks,
} from '../../src/renderer/draw/timeline/chain-arrows.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

const mark = (order: number, seconds: number, more: Partial<ChainMark> = {}): ChainMark => ({
  order,
  timeNs: BigInt(Math.round(seconds * 1e9)),
  layer: 'power',
  lane: `lane-${order}`,
  cause: order === 1 ? null : order - 2,
  probability: order === 1 ? null : 0.9,
  undecided: false,
  x: 0,
  y: 0,
  eventX: 0,
  eventY: 0,
  beyond: 0,
  ...more,
});
/** Ten pixels per second, from zero to a minute. */
const scale = timeScale(nanos(0n), nanos(60_000_000_000n), 600);
const rows = (each: ChainMark) => ({ badgeY: each.order * 50, eventY: each.order * 50 + 22 });

test('the probability of a link selects the line style of its arrow', () => {
  expect([0.95, 0.8, 0.79, 0.4, 0.39].map((p) => arrowStyle(p, false))).toEqual([
    'solid',
    'solid',
    'dashed',
    'dashed',
    'dotted',
  ]);
  expect(arrowStyle(0.99, true)).toBe('dotted');
  expect(arrowStyle(null, false)).toBe('dotted');
});

describe('places', () => {
  test('a badge is over its event', () => {
    const marks = [mark(1, 10), mark(2, 20)];
    placeMarks(marks, scale, rows);
    expect(marks.map(({ x, y }) => [x, y])).toEqual([
      [100, 50],
      [200, 100],
    ]);
  });
  test('overlapping badges of one lane move to the right', () => {
    const marks = [mark(1, 10), mark(2, 10.2), mark(3, 10.4)];
    placeMarks(marks, scale, () => ({ badgeY: 50, eventY: 72 }));
    expect(marks.map(({ x }) => x)).toEqual([100, 119, 138]);
    expect(marks.map(({ eventX }) => eventX)).toEqual([100, 102, 104]);
  });
  test('a step outside of the window is marked at the edge', () => {
    const marks = [mark(1, -5), mark(2, 90)];
    placeMarks(marks, scale, rows);
    expect(marks.map(({ x, beyond }) => [x, beyond])).toEqual([
      [12, -1],
      [588, 1],
    ]);
  });
});

describe('arrows', () => {
  const arrow = (from: ChainMark, to: ChainMark) => {
    placeMarks([from, to], scale, rows);
    const recorded = recordingPen();
    drawArrow(recorded.pen, from, to, palette);
    return recorded;
  };
  test('arrows run down the column of the cause, then along the lane of the effect', () => {
    const { named } = arrow(mark(1, 10), mark(2, 30));
    expect(named('moveTo')[0]?.values).toEqual([100, 79]);
    expect(
      named('lineTo')
        .slice(0, 2)
        .map(({ values }) => values),
    ).toEqual([
      [100, 100],
      [287, 100],
    ]);
  });
  test('arrows enter from above if cause and effect share a column', () => {
    const { named } = arrow(mark(1, 10), mark(2, 10.3));
    const lines = named('lineTo').map(({ values }) => values);
    expect(lines[0]).toEqual([100, 84]);
    expect(lines[2]).toEqual([103, 87]);
  });
  test('solid, dashed and dotted; a dotted arrow has a hollow head', () => {
    const head = (probability: number, undecided = false) => {
      const { named } = arrow(mark(1, 10), mark(2, 30, { probability, undecided }));
      return { dash: named('stroke')[0]?.dash.length, hollow: named('fill')[0]?.fillStyle === 'surface' };
    };
    expect(head(0.9)).toEqual({ dash: 0, hollow: false });
    expect(head(0.5)).toEqual({ dash: 2, hollow: false });
    expect(head(0.2)).toEqual({ dash: 2, hollow: true });
    expect(head(0.9, true)).toEqual({ dash: 2, hollow: true });
  });
});

test('a chain draws every badge with its number, and the selected one inverted', () => {
  const marks = [mark(1, 10), mark(2, 20), mark(3, 30)];
  placeMarks(marks, scale, rows);
  const { pen, named } = recordingPen();
  drawChain(pen, marks, palette, 2);
  expect(named('fillText').map(({ values, fillStyle }) => [values[0], fillStyle])).toEqual([
    ['1', 'text'],
    ['2', 'surface'],
    ['3', 'text'],
  ]);
  expect(hitMark(marks, 203, 104)?.order).toBe(2);
  expect(hitMark(marks, 240, 104)).toBeUndefined();
});

test('no arrow joins two steps outside of the window; one that leads into it stays', () => {
  const heads = (marks: ChainMark[]) => {
    placeMarks(marks, scale, rows);
    const { pen, named } = recordingPen();
    drawChain(pen, marks, palette, 0);
    // Each arrow has one head, and each badge one outline; those beyond the edge are closed, too.
    return named('closePath').length - marks.filter(({ beyond }) => beyond !== 0).length;
  };
  expect(heads([mark(1, 80), mark(2, 90)])).toBe(0);
  expect(heads([mark(1, -5), mark(2, 20)])).toBe(1);
});
