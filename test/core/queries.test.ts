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

test.each(Object.entries(queries))(
  'question %s runs on an empty case, and compares no table with each row of another one',
  async (name, sql) => {
    const session = await engine.session();
    const { columns } = await session.query(`explain analyze ${sql}`, sampleValues(name, sql));
    session.close();
    const plan = String(columns[1]?.[0]);
    expect(plan).toContain('Total Time');
    if (!withLists.includes(name)) expect(plan).not.toContain('BLOCKWISE_NL_JOIN');
  },
);
