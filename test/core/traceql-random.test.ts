import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { parseSearch } from '../../src/model/traceql/parse-search.ts';
import { offsetOf } from '../../src/model/traceql/problem.ts';
import { traceCase } from '../support/trace-case.ts';

const bits = [
  ...[
    '{',
    '}',
    '(',
    ')',
    '&&',
    '||',
    '>',
    '>>',
    '<',
    '<<',
    '~',
    '!',
    '|',
    '=',
    '!=',
    '<=',
    '>=',
    '=~',
    '!~',
    '.',
    '"',
    '`',
    '-',
  ],
  ...[
    'name',
    'duration',
    'status',
    'kind',
    'traceDuration',
    'rootName',
    'error',
    'server',
    'nil',
    'true',
    '.a',
    'span.b',
    'resource.c',
    'db.x',
  ],
  ...[
    '5',
    '-1.5',
    '50ms',
    '1h30m',
    '"x"',
    '`y`',
    '"("',
    '".*"',
    'count()',
    'avg(duration)',
    'service.name',
    '\u{1f600}',
    '\n',
  ],
];

test('whatever is typed is read, or refused at a character of it', () => {
  const typed = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(fc.constantFrom(...bits), { maxLength: 25 }).map((each) => each.join(' ')),
  );
  fc.assert(
    fc.property(typed, (text) => {
      try {
        parseSearch(text);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const at = offsetOf(error.problem);
        expect(at).not.toBeNull();
        expect(at).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 5000 },
  );
});

const attribute = fc.constantFrom(
  '.a',
  'span.a',
  'resource.a',
  '."a b"',
  'a.b',
  '.service.name',
  'resource.service.name',
);
const order = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const equality = fc.constantFrom('=', '!=');
const join = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((each) => each.join(' '));
const text = fc.constantFrom('"x"', '`a"b`', '"%\\\\"', '""');
const comparison = fc.oneof(
  join(fc.constantFrom('name', 'statusMessage', 'rootName', 'rootServiceName', 'span:id', 'trace:id'), order, text),
  join(
    fc.constantFrom('name', 'statusMessage', 'rootName', '.a', 'resource.a', 'service.name'),
    fc.constantFrom('=~', '!~'),
    fc.constantFrom('".*"', '"(?i)x|y"', '""'),
  ),
  join(fc.constantFrom('duration', 'traceDuration'), order, fc.constantFrom('5ms', '-1s', '999999h')),
  join(fc.constantFrom('status'), equality, fc.constantFrom('error', 'ok', 'unset')),
  join(fc.constantFrom('kind'), equality, fc.constantFrom('server', 'client')),
  join(attribute, order, fc.oneof(text, fc.constantFrom('5', '-1e300', '0.1'))),
  join(attribute, equality, fc.constantFrom('true', 'false', 'nil')),
  fc.constantFrom('true', 'false', '.a', 'nestedSetParent < 0', 'nestedSetParent != -1'),
);
const condition = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    comparison,
    join(tie('any'), fc.constantFrom('&&', '||'), tie('any')),
    join(fc.constant('!('), tie('any'), fc.constant(')')),
    join(fc.constant('('), tie('any'), fc.constant(')')),
  ),
})).any;
const spans = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    join(fc.constant('{'), condition, fc.constant('}')),
    join(
      fc.constant('('),
      tie('any'),
      fc.constantFrom('&&', '||', '>', '>>', '<', '<<', '~'),
      tie('any'),
      fc.constant(')'),
    ),
  ),
})).any;
const stage = fc.oneof(
  join(fc.constant('| count()'), order, fc.constantFrom('0', '2')),
  join(
    fc.constant('|'),
    fc.constantFrom('avg', 'min', 'max', 'sum').map((each) => `${each}(duration)`),
    order,
    fc.constantFrom('1ms', '0s'),
  ),
);

test('whatever can be written by the grammar is answered', async () => {
  const core = await traceCase([
    { trace: 'A', id: 'a', name: 'x', service: 'x', from: 0, to: 9, values: { a: 5, 'a b': 'x', 'a.b': true } },
    {
      trace: 'A',
      id: 'b',
      parent: 'a',
      name: 'y',
      service: 'y',
      from: 1,
      to: 5,
      failed: 'x',
      values: { a: 'x' },
      resource: { a: 1 },
    },
    { trace: 'A', id: 'c', parent: 'b', name: 'x', from: 1, to: 2, values: { a: false } },
  ]);
  await fc.assert(
    fc.asyncProperty(
      join(
        spans,
        fc.array(stage, { maxLength: 2 }).map((each) => each.join(' ')),
      ),
      async (query) => {
        try {
          const { span_count } = await core.api['traces.search']({ query });
          expect(span_count).toBeLessThanOrEqual(3);
        } catch (error) {
          // As many filters and comparisons as there may be is the grammar's own limit.
          if (!(error instanceof ProblemError && error.problem.code === 'traceql.too_large')) throw error;
        }
      },
    ),
    { numRuns: 120, endOnFailure: true },
  );
});

test('a condition and its opposite find each span once', async () => {
  const core = await traceCase([
    { trace: 'A', id: 'a', name: 'x', service: 'x', from: 0, to: 9, values: { a: 5 } },
    {
      trace: 'A',
      id: 'b',
      parent: 'a',
      name: 'y',
      from: 1,
      to: 5,
      failed: 'x',
      values: { a: 'x' },
      resource: { a: 1 },
    },
  ]);
  await fc.assert(
    fc.asyncProperty(condition, async (requests) => {
      const count = async (query: string) => (await core.api['traces.search']({ query })).span_count;
      try {
        expect((await count(`{ ${requests} }`)) + (await count(`{ !(${requests}) }`))).toBe(2);
      } catch (error) {
        if (!(error instanceof ProblemError && error.problem.code === 'traceql.too_large')) throw error;
      }
    }),
    { numRuns: 50, endOnFailure: true },
  );
});
