import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noBands } from '../../src/core/api/traces/fold-tokens.ts';
import { Places, xOfTime } from '../../src/renderer/draw/traces/trace-group-scale.ts';
import { bandGaps, pathBands } from '../../src/renderer/draw/traces/waterfall-band.ts';

const WIDTH = 100;

/** A span of 1000 ns with children that have none. */
const parentOf = (children: readonly (readonly [start: number, length: number])[]) => ({
  start_ns: Float64Array.of(0, ...children.map(([start]) => start)),
  end_ns: Float64Array.of(1000, ...children.map(([start, length]) => start + length)),
  descendants: Int32Array.of(children.length, ...children.map(() => 0)),
  ...noBands,
});

const scaleOf = (from: number, until: number) => ({
  places: new Places({ from_ns: 0, until_ns: 1000 }, [], 0),
  window: { from, until },
  width: WIDTH,
});

/** Every child in turn. */
function slowly(spans: ReturnType<typeof parentOf>, scale: ReturnType<typeof scaleOf>) {
  const gaps: { left: number; right: number }[] = [];
  const order = [...spans.start_ns.keys()].slice(1).sort((a, b) => spans.start_ns[a]! - spans.start_ns[b]!);
  let busy = spans.start_ns[0]!;
  for (const child of order) {
    const [left, right] = [xOfTime(scale, busy), xOfTime(scale, spans.start_ns[child]!)];
    if (right - left >= 1 && right > 0 && left < WIDTH)
      gaps.push({ left: Math.max(left, 0), right: Math.min(right, WIDTH) });
    busy = Math.max(busy, spans.end_ns[child]!);
  }
  return gaps;
}

test('finds the gaps that a walk over every child finds, at any zoom', () => {
  const child = fc.tuple(fc.integer({ min: 0, max: 990 }), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(
      fc.array(child, { maxLength: 60 }),
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 10, max: 1000 }),
      (children, from, length) => {
        const [spans, scale] = [parentOf(children), scaleOf(from, from + length)];
        expect(bandGaps(spans, 0, scale)).toEqual(slowly(spans, scale));
      },
    ),
  );
});

test('parts of the critical path cover what each of them covers, and 100,000 of them are no more than the pixels', () => {
  const scale = scaleOf(0, 1000);
  const covered = (bands: readonly { left: number; right: number }[]): boolean[] =>
    Array.from({ length: 10 * WIDTH }, (_, at) =>
      bands.some(({ left, right }) => left <= (at + 0.5) / 10 && (at + 0.5) / 10 <= right),
    );
  const part = fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 100 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (drawn) => {
      const parts = drawn.toSorted(([a], [b]) => a - b);
      const path = {
        path_from_ns: Float64Array.from(parts, ([from]) => from),
        path_until_ns: Float64Array.from(parts, ([from, length]) => from + length),
      };
      const each = parts.flatMap((_, at) => pathBands(path, [at], scale));
      expect(covered(pathBands(path, [...parts.keys()], scale))).toEqual(covered(each));
    }),
  );
  const tokens = Array.from({ length: 100_000 }, (_, at) => at);
  const path = {
    path_from_ns: Float64Array.from(tokens, (at) => at / 100),
    path_until_ns: Float64Array.from(tokens, (at) => at / 100 + 0.005),
  };
  expect(pathBands(path, tokens, scale)).toHaveLength(1);
});
