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
  ])('%s', (_, column) => {
    expect(crossed(column).back).toStrictEqual(column);
  });
});

test('a column of few samples takes no more than its samples', () => {
  const column = new Float64Array(2000).fill(Number.NaN);
  column[700] = 528.25;
  expect(crossed(column).text.length).toBeLessThan(40);
});
