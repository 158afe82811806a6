import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvFields, csvRows } from '../../src/base/csv-reader.ts';

const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n', 'é', '') }).map((text) => text.trim());
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

test('rows of quoted cells come back as they were written', () => {
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows.map((cells) => cells.map(quoted).join(',')).join('\r\n');
      const filled = rows.filter((cells) => cells.some((one) => one !== ''));
      expect([...csvRows(text, ',')].map(({ cells }) => cells)).toEqual(filled);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a,b,,c ', ',', ['a', 'b', '', 'c']],
  ['a;b,c', ',;', ['a', 'b', 'c']],
  ['"a,b";"c""d"', ',;', ['a,b', 'c"d']],
  ['a,"b"x,c,', ',', ['a', 'b', 'c', '']],
  ['', ',', ['']],
  ['"not closed, b', ',', ['not closed, b']],
] as const)('the cells of %j', (line, delimiter, cells) => {
  expect(csvFields(line, delimiter)).toEqual(cells);
});
