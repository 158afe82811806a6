import type { BundleCut } from '../../model/contract/index.ts';
import { parseTime } from '../../model/time.ts';
import { type Invocation, text } from './commands/command.ts';

/** The cut that `--from`, `--to` and `--entities` define; null without these options. */
export function cutOf(invocation: Invocation): BundleCut | null {
  const [from, to, entities] = ['from', 'to', 'entities'].map((name) => text(invocation, name));
  if (from === null && to === null && entities === null) return null;
  return {
    from_ns: from ? parseTime(from, '--from') : null,
    to_ns: to ? parseTime(to, '--to') : null,
    entities: entities ? entities.split(',').filter((name) => name !== '') : null,
  };
}
