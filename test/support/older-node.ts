import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Node before 22 on this machine, as a user may have it. */
export function olderNode(): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    if (!existsSync(node)) continue;
    if (Number.parseInt(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.slice(1), 10) < 22) return node;
  }
  return null;
}
