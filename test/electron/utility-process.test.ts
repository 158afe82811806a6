import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withIsolatedStatements } from '../../src/main/engine/isolated-statements.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { temporaryFolder } from '../support/core.ts';
import { root } from './harness.ts';
import { createUtilityProcess } from './stand-in/utility-process.ts';

test('statements of people run in a utility process (stand-in), which gets nothing of the environment but folders', async () => {
  const { utilityProcess, started } = createUtilityProcess(() => true);
  vi.doMock('electron', () => ({ utilityProcess }));
  onTestFinished(() => void vi.doUnmock('electron'));
  vi.stubEnv('FAULTLINE_TOKEN', 'a secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { startUtilityProcess } = await import('../../src/main/hosts/electron-utility.ts');
  const file = join(root, 'out/main/query-process.js');
  const database = join(await temporaryFolder(), 'case.duckdb');
  const engine = withIsolatedStatements(await openNativeEngine(database), database, startUtilityProcess(file));
  onTestFinished(() => engine.close());
  const session = await engine.session();
  await session.execute('create table event as select 42 as a');
  expect(await session.queryUntrusted('select a from event', 5)).toMatchObject({ count: 1, columns: [[42]] });
  await expect(session.queryUntrusted('select len(range(900000000))', 5)).rejects.toMatchObject({
    problem: { code: 'sql.ended' },
  });
  expect(await session.queryUntrusted('select a from event', 5)).toMatchObject({ count: 1 });
  session.close();
  expect(started.map((one) => one.file)).toEqual([file, file]);
  for (const { options } of started) expect(JSON.stringify(options)).not.toContain('a secret');
});
