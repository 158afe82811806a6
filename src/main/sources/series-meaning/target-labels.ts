import type { SourceInput } from '../../../model/storage/source.ts';
import { serverSubject } from './naming.ts';
import type { Surroundings } from './scraped.ts';

/**
 * Entity of unnamed series: the machine that the investigator or the file names, else a device named after the file,
 * with a remark.
 */
export function surroundingsOf(
  { assume, name }: SourceInput,
  named: string | undefined,
  remark: (text: string) => void,
): Surroundings {
  const host = assume.device ?? named;
  if (host) return { host, fallback: () => serverSubject(host) };
  const id = (name.split('/').at(-1) ?? name).replace(/\.(gz|zst|bz2|xz)$/, '').replace(/(.)\.[^.]*$/, '$1');
  const listed = new Set<string>();
  return {
    host: undefined,
    fallback: () => ({ kind: 'device', id }),
    onUnnamed: (series) => {
      if (listed.has(series) || listed.size > MOST_LISTED) return;
      listed.add(series);
      const which =
        listed.size > MOST_LISTED ? 'further series name no entity: they go' : `${series} names no entity: it goes`;
      remark(`${which} to "${id}" (the file's name)`);
    },
  };
}

/** Series without an entity that a remark lists by their names. */
const MOST_LISTED = 5;
