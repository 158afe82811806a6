import { expect, test } from 'vitest';
import { parsePythonJson } from '../../src/main/sources/bytes/python-json.ts';

test('numbers that JSON has none for become texts; strings stay as they are', () => {
  expect(parsePythonJson('{"loss": NaN, "norm": -Infinity, "list": [Infinity,1], "text": "NaN \\" NaN"}')).toEqual({
    loss: 'NaN',
    norm: '-Infinity',
    list: ['Infinity', 1],
    text: 'NaN " NaN',
  });
  expect(parsePythonJson('{"text": "NaN"}')).toEqual({ text: 'NaN' });
});

test('what is no JSON either way is refused, in time that grows with its length', () => {
  for (const text of ['{"a": NaNs}', '{NaN: 1}', '{"a": NaN', `{"a": NaN, ${'"\\"'.repeat(200_000)}`])
    expect(() => parsePythonJson(text)).toThrow(SyntaxError);
});
