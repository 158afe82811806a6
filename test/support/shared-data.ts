import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../shared/data');

/** A file of the shared recordings, or null where a stranger's clone has none: such tests say so and skip. */
export function sharedData(path: string): string | null {
  const file = join(root, path);
  if (existsSync(file)) return file;
  console.log(`skipped: shared recording ${path} is not present`);
  return null;
}
