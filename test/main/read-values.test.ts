import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { readValues } from '../../src/main/engine/read-values.ts';

test('lists of numbers are read as the library reads them, with empty, absent and partly absent ones', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  // More than one chunk, and lists whose elements do not lie in the order of the rows.
  const sql = `
    select case when i % 7 = 0 then null when i % 7 = 1 then [] else [i / 2, null, -i]::double[] end as numbers,
      [i::bigint, 9007199254740993] as whole, [i::varchar] as texts, [[i]] as nested
    from range(5000) r(i) order by hash(i)`;
  const { columns, count } = await readValues(await connection.stream(sql));
  const known = await (await connection.run(sql)).getColumnsJS();
  expect(count).toBe(5000);
  expect(columns).toEqual(known);
  connection.closeSync();
  instance.closeSync();
});
