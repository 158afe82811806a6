import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Engine } from '../../src/model/storage/engine.ts';
import { sampleValues } from '../support/query-samples.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'questions');
});
afterAll(() => engine.close());

/** Joins by what is no equality: with a short list of names, kinds or words, of which one is compared with each row. */
const withLists = [
  ...['recentBlocks', 'resourceSpans', 'stageTimes', 'toolCalls'],
  ...['searchEntities', 'searchEvents', 'searchLogs', 'searchSpans'],
];

test('no query compares each row of a table with each of another one', async () => {
  const session = await engine.session();
  const byPairs: string[] = [];
  for (const [name, sql] of Object.entries(queries)) {
    const { columns } = await session.query(`explain ${sql}`, sampleValues(name, sql));
    if (/BLOCKWISE_NL_JOIN/.test(String(columns[1]?.[0]))) byPairs.push(name);
  }
  session.close();
  expect(byPairs.filter((name) => !withLists.includes(name))).toEqual([]);
});

test.each(Object.entries(queries))('question %s runs on an empty case', async (name, sql) => {
  const session = await engine.session();
  const answer = await session.query(sql, sampleValues(name, sql));
  expect(answer.names.length).toBeGreaterThan(0);
  session.close();
});
