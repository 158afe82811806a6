import { expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import { timeScale } from '../../src/renderer/draw/canvas/time-scale.ts';
import { drawImpacts, type ImpactSpan, namedFringe } from '../../src/renderer/draw/timeline/impact-columns.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

const second = 1_000_000_000n;
const span = (earliest: number, onset: number, end: number, selected: boolean): ImpactSpan => ({
  onsetEarliestNs: BigInt(earliest) * second,
  onsetNs: BigInt(onset) * second,
  endNs: BigInt(end) * second,
  selected,
});
/** Ten pixels per second, from zero to a minute. */
const scale = timeScale(nanos(0n), nanos(60n * second), 600);
const fills = (...spans: readonly ImpactSpan[]) => {
  const { pen, named } = recordingPen();
  drawImpacts(pen, spans, scale, { palette, height: 100 });
  return named('fillRect').map(({ fillStyle, values }) => [fillStyle, values[0], values[2]]);
};

test('an uncertain onset is a fringe before the column; the edges are lines', () => {
  expect(fills(span(10, 20, 30, true))).toEqual([
    ['impactFringe', 100, 100],
    ['impact', 200, 100],
    ['impactEdge', 200, 1],
    ['impactEdge', 300, 1],
  ]);
});

test('an impact is clipped at the window, and the clipped edge is not drawn', () => {
  expect(fills(span(-20, -10, 30, true))).toEqual([
    ['impact', 0, 300],
    ['impactEdge', 300, 1],
  ]);
  expect(fills(span(70, 80, 90, true))).toEqual([]);
});

test('another incident is faint, and omitted where it would shade the selected one twice', () => {
  const selected = span(10, 20, 30, true);
  expect(fills(selected, span(40, 40, 50, false)).at(-1)).toEqual(['impactFaint', 400, 100]);
  expect(fills(selected, span(25, 26, 50, false))).toEqual(fills(selected));
});

test('only a fringe of the selected impact that is wide and on screen has a name', () => {
  expect(namedFringe([span(10, 20, 30, true)], scale)).toBe(10n * second);
  expect(namedFringe([span(10, 18, 30, true)], scale)).toBeNull();
  expect(namedFringe([span(-10, 20, 30, true)], scale)).toBeNull();
  expect(namedFringe([span(10, 20, 30, false)], scale)).toBeNull();
});
