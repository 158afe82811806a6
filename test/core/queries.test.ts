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

test.each(Object.entries(queries))('question %s runs on an empty case', async (name, sql) => {
  const session = await engine.session();
  const answer = await session.query(sql, sampleValues(name, sql));
  expect(answer.names.length).toBeGreaterThan(0);
  session.close();
});
