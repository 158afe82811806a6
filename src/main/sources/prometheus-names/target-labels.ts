import type { SourceInput } from '../../../model/storage/source.ts';
import { serverSubject } from './naming.ts';
import type { Subject, Surroundings } from './scraped.ts';

/**
 * What unnamed series belong to: the machine that somebody or the file itself names, else a thing called like the
 * file, which a remark then says.
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
      remark(`series that name nothing are taken as about "${id}" (the file's name)`);
      return { kind: 'device', id };
    },
  };
}
