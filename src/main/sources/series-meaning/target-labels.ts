import type { SourceInput } from '../../../model/storage/source.ts';
import { serverSubject } from './naming.ts';
import type { Subject, Surroundings } from './scraped.ts';

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
  return {
    host: undefined,
    fallback: (): Subject => {
      remark(`series that name no entity go to "${id}" (the file's name)`);
      return { kind: 'device', id };
    },
  };
}
