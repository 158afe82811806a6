import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { temporaryFolder } from '../support/core.ts';

test('a checkpoint beside a write of somebody else waits for it, and does not fail', async () => {
  const engine = await openNativeEngine(join(await temporaryFolder(), 'case.duckdb'));
  const [one, other] = [await engine.session(), await engine.session()];
  onTestFinished(async () => {
    for (const session of [one, other]) session.close();
    await engine.close();
  });
  await one.execute('create table t as select 1 as a');
  await one.execute('begin transaction');
  await one.execute('update t set a = 2');
  const checkpointing = engine.checkpoint();
  // Long enough for one that does not wait to be refused.
  await Promise.race([checkpointing, new Promise((resolve) => setTimeout(resolve, 500))]);
  expect((await other.query('select sum(a)::integer from t')).columns).toEqual([[1]]);
  await one.execute('commit');
  await checkpointing;
  expect((await other.query('select sum(a)::integer from t')).columns).toEqual([[2]]);
});
