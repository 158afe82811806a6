import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listText } from '../../src/core/store/list-text.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';

test('a list comes out of a cast as it went in, whatever its texts hold', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', ']', '[', '{', '}', ':', "'", '\n', 'a', 'NULL') }),
  );
  const cast = async (sql: string, value: string) => (await session.query(sql, [value])).columns[0]?.[0];
  await fc.assert(
    fc.asyncProperty(fc.array(text.filter((one) => !one.includes('\0'))), async (texts) => {
      expect(await cast('select to_json($1::varchar[])::varchar', listText(texts))).toBe(JSON.stringify(texts));
    }),
    { numRuns: 200 },
  );
  expect(await cast('select sum(x)::bigint from (select unnest($1::bigint[]) as x)', listText([1n << 40n, 2]))).toBe(
    (1n << 40n) + 2n,
  );
  const structs = [{ lane: 1, shift_ns: -(1n << 60n) }];
  expect(await cast('select to_json($1::struct(lane integer, shift_ns bigint)[])::varchar', listText(structs))).toBe(
    `[{"lane":1,"shift_ns":${-(1n << 60n)}}]`,
  );
  session.close();
  await engine.close();
});
