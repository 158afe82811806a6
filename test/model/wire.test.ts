import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wireSerializers } from '../../src/model/contract/index.ts';

const crossed = (value: ArrayBufferView): { readonly text: string; readonly back: unknown } => {
  const own = wireSerializers.find((serializer) => serializer.condition(value));
  if (!own) throw new Error('nothing takes it across');
  const text = JSON.stringify(own.serialize(value));
  return { text, back: own.deserialize(JSON.parse(text)) };
};

describe('columns cross as they are', () => {
  test.each([
    ['none', new Float64Array(0)],
    ['full', Float64Array.from([1, -0, 0.1, 1e300, Number.NEGATIVE_INFINITY])],
    ['with gaps', Float64Array.from([Number.NaN, 2, 3, Number.NaN])],
    ['mostly gaps', Float64Array.from([Number.NaN, Number.NaN, 0.1, Number.NaN, Number.NaN, Number.POSITIVE_INFINITY])],
    ['nothing but gaps', new Float64Array(7).fill(Number.NaN)],
    ['whole numbers', Int32Array.from([1, -2, 2 ** 31 - 1])],
    ['bytes', Uint8Array.from([0, 255])],
    ['all alike', Float64Array.from([0.1, 0.1, 0.1])],
    ['nothing below zero', Float64Array.from([-0, -0])],
    ['zeros of both signs', Float64Array.from([0, -0, 0])],
    ['beyond all numbers', Float64Array.from([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])],
    ['small numbers far away', Float64Array.from([2 ** 53 - 1, 2 ** 53 - 256, 2 ** 53 - 2])],
    ['two bytes', Int32Array.from([-30_000, 30_000, 0])],
    ['the whole range', Int32Array.from([-(2 ** 31), 2 ** 31 - 1])],
    ['more than four bytes', Float64Array.from([0, 2 ** 32])],
    ['times in their order', Float64Array.from([2 ** 52, 2 ** 52 + 19e6, 2 ** 52 + 5e9, 2 ** 52 + 5e9 - 1])],
    ['a time too far from the one before', Float64Array.from([0, 1e9, 2e9, 1e13])],
    ['steps beyond what is exact', Float64Array.from([2 ** 60, 2 ** 60 + 1e9])],
    ['far beyond', Float64Array.from([-1e308, 1e308])],
    ['of single precision', Float64Array.from([0.5, Math.fround(0.1), -0, Number.NaN, Number.POSITIVE_INFINITY])],
    ['small ones with gaps', Float64Array.from([Number.NaN, 5, Number.NaN, 7, Number.NaN, Number.NaN])],
  ])('%s', (_, column) => {
    expect(crossed(column).back).toStrictEqual(column);
  });
});

test('whatever numbers they are', () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger(), fc.constantFrom(Number.NaN, 0, -0, 1));
  fc.assert(
    fc.property(fc.array(number), (values) => {
      for (const View of [Float64Array, Int32Array, Uint8Array]) {
        const column = View.from(values);
        expect(crossed(column).back).toStrictEqual(column);
      }
    }),
  );
});

test('an impossible length is refused before allocation', () => {
  expect(() => wireSerializers[0]?.deserialize('c:9e15:0')).toThrow(RangeError);
  expect(() => wireSerializers[0]?.deserialize('s:NaN:c:0:0|c:0:0')).toThrow(RangeError);
  expect(() => wireSerializers[0]?.deserialize('x')).toThrow(RangeError);
});

test('codes and counts take a byte each', () => {
  const codes = Int32Array.from({ length: 3000 }, (_, at) => at % 200);
  expect(crossed(codes).text.length).toBeLessThan(4100);
});

test('times that follow one another take half of the room, however late they are', () => {
  const times = Float64Array.from({ length: 3000 }, (_, at) => 1e13 + at * 20e6 + (at % 3));
  const unordered = times.map((time, at) => time + (at % 2) * 1e12);
  expect(crossed(times).text.length).toBeLessThan(0.51 * crossed(unordered).text.length);
});

test('a column of few samples takes no more than its samples', () => {
  const column = new Float64Array(2000).fill(Number.NaN);
  column[700] = 528.25;
  expect(crossed(column).text.length).toBeLessThan(40);
});

test('numbers of single precision take half of the room', () => {
  const values = Float64Array.from({ length: 3000 }, (_, at) => Math.fround(at / 7));
  expect(crossed(values).text.length).toBeLessThan(0.51 * crossed(values.map((value) => value + 1e-12)).text.length);
});
