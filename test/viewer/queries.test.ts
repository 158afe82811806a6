import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import type { Engine } from '../../src/model/storage/engine.ts';
import { sampleValues } from '../support/query-samples.ts';
import { openNodeWasmEngine } from '../support/wasm-engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openNodeWasmEngine();
  await prepareCase(engine, 'questions');
});
afterAll(() => engine.close());

/** Asked by a live capture only, which the viewer has none of: it writes JSON of a map. */
const live = new Set(['watchedState']);

test.each(Object.entries(queries).filter(([name]) => !live.has(name)))(
  'question %s runs in the viewer on an empty case',
  async (name, sql) => {
    const session = await engine.session();
    const answer = await session.query(sql, sampleValues(name, sql));
    expect(answer.names.length).toBeGreaterThan(0);
    session.close();
  },
);
