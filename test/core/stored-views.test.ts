import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { readParts } from '../../src/core/store/case-file/foreign-parts.ts';
import { VIEWS_AS_STORED } from '../../src/core/store/case-file/untrusted-case.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { temporaryFolder } from '../support/core.ts';

/** Another digest would have each case written to whenever it opens; evidence that cannot be written to would not open. */
test('the digest by which our views are known is that of their text as the engine reads it from a file', async () => {
  const path = join(await temporaryFolder(), 'case.duckdb');
  const made = await openNativeEngine(path);
  await prepareCase(made, 'new');
  await made.close();
  const found = await openNativeEngine(path);
  const session = await found.session();
  const { views } = await readParts(session);
  session.close();
  await found.close();
  expect(VIEWS_AS_STORED).toBe(createHash('sha256').update(views).digest('hex'));
});
