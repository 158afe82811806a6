import { liftFields } from '../../log-record/lift.ts';
import type { Grammar } from '../grammar.ts';

/** `time=... level=info msg="a b" key=value`: logrus, slog's text handler, Grafana, Prometheus. */
const PAIR = /([\w@][\w.@/:-]{0,127})=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?:\s+|$)/y;
const FEWEST = 2;
const LONGEST = 65_536;

export const logfmt: Grammar = {
  id: 'logfmt',
  read(line) {
    if (line.length > LONGEST || !/^[\w@][\w.@/:-]{0,127}=/.test(line)) return undefined;
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let count = 0;
    let at = 0;
    for (PAIR.lastIndex = 0; at < line.length; count++) {
      const match = PAIR.exec(line);
      if (!match) break;
      const [, key = '', quoted, bare = ''] = match;
      fields[key] = quoted === undefined ? bare : unquote(quoted);
      at = PAIR.lastIndex;
    }
    if (count < FEWEST || at < line.length) return undefined;
    const lifted = liftFields({ ...fields });
    return lifted.moment !== undefined || (lifted.body !== '' && lifted.severity > 0) ? lifted : undefined;
  },
};

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);
const unquote = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\(.)/gs, (_, letter: string) => escapes.get(letter) ?? letter) : text;
