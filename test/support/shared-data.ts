import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestRunner } from 'vitest';
import { assert } from '../../src/base/assert.ts';

const root = join(import.meta.dirname, '../../../shared/data');

/** A file or folder of the shared recordings; the test that asks for it is skipped where a stranger's clone has none. */
export function sharedData(path: string): string {
  const file = sharedDataIfPresent(path);
  if (file !== null) return file;
  const test = TestRunner.getCurrentTest();
  assert(test !== undefined, 'lists of tests are made with sharedDataIfPresent');
  return test.context.skip(`shared recording ${path} is not present`);
}

/** For what is not yet within a test: null where there is none. */
export function sharedDataIfPresent(path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? file : null;
}
