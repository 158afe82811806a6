import { describe, expect, test } from 'vitest';
import { attributeOf, completingAt, ownValues, writtenValue } from '../../src/model/traceql/complete.ts';

/** What is expected at the caret, which `|>` marks. */
function at(marked: string) {
  const caret = marked.indexOf('|>');
  const text = marked.replace('|>', '');
  const { expected, from, to, typed } = completingAt(text, caret);
  return { ...expected, typed, replaced: text.slice(from, to) };
}

describe('what may stand at the caret', () => {
  test.each([
    ['|>', { kind: 'start', typed: '' }],
    ['{ |>', { kind: 'field', typed: '' }],
    ['{ sta|>tus = error }', { kind: 'field', typed: 'sta', replaced: 'status' }],
    ['{ status = error && na|>', { kind: 'field', typed: 'na' }],
    ['{ !(.a|>', { kind: 'field', typed: '.a' }],
    ['{ status |>', { kind: 'operator' }],
    ['{ status = |>', { kind: 'value', field: 'status', typed: '' }],
    ['{ status = er|> }', { kind: 'value', field: 'status', typed: 'er' }],
    [
      '{ resource.service.name = "ll|>ama" && kind = server }',
      { kind: 'value', field: 'resource.service.name', typed: 'll', replaced: '"llama"' },
    ],
    ['{ span."a name" = |>', { kind: 'value', field: 'span."a name"' }],
    ['{ name =~ "GET.*" |>', { kind: 'joiner' }],
    ['{ duration > 1s |>', { kind: 'joiner' }],
    ['{ status = error } |>', { kind: 'relation' }],
    ['{ status = error } | |>', { kind: 'stage' }],
    ['{ } | ra|>', { kind: 'stage', typed: 'ra' }],
    ['{ } | rate() by (|>', { kind: 'field' }],
    ['{ } >> { |>', { kind: 'field' }],
    // A mark within a text is no mark.
    ['{ name = "} | " && |>', { kind: 'field' }],
  ])('%s', (marked, expected) => {
    expect(at(marked)).toMatchObject(expected);
  });
});

test('values are written as the language has them', () => {
  expect(ownValues('span:status')).toEqual(['unset', 'ok', 'error']);
  expect(ownValues('traceDuration')?.[0]).toBe('10ms');
  expect(ownValues('.db.system')).toBeUndefined();
  expect(writtenValue('status', 'error', false)).toBe('error');
  expect(writtenValue('.code', '504', true)).toBe('504');
  expect(writtenValue('.code', '504', false)).toBe('"504"');
  expect(writtenValue('name', 'a "b" \\', false)).toBe('"a \\"b\\" \\\\"');
  expect(attributeOf('resource.host.name')).toEqual({ scope: 'resource', name: 'host.name' });
  expect(attributeOf('span."a name"')).toEqual({ scope: 'span', name: 'a name' });
  expect(attributeOf('db.system')).toEqual({ scope: 'any', name: 'db.system' });
  expect(attributeOf('.x')).toEqual({ scope: 'any', name: 'x' });
  expect(attributeOf('name')).toBeNull();
});
