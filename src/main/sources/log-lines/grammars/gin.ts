import { digitsToClock } from '../../../../model/local-time.ts';
import type { Grammar } from '../grammar.ts';
import { accessLine } from './access.ts';

/**
 * Gin (https://gin-gonic.com/en/docs/logging/custom-log-format/), the web framework of Ollama and others:
 * `[GIN] 2026/05/01 - 14:00:10 | 200 |  927.678091ms |       10.0.0.12 | POST     "/api/chat"`.
 */
const REQUEST =
  /^\[GIN\] (\d{4})\/(\d{2})\/(\d{2}) - (\d{2}):(\d{2}):(\d{2}) \| {1,3}(\d{3}) \| {0,20}([\dhmsµun.]{2,30}) \| {0,20}(\S{0,253}) \| ([A-Z]{1,20}) {1,20}"([^"]{0,8192})"/;
const UNITS_MS = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
  ['µs', 1e-3],
  ['us', 1e-3],
  ['ns', 1e-6],
]);

/** Access lines of Gin. Their time is that of the end of the request. */
export const gin: Grammar = {
  id: 'gin',
  read(line) {
    const match = line.startsWith('[GIN] ') ? REQUEST.exec(line) : null;
    if (!match) return undefined;
    const [, year, month, day, hour, minute, second, status, duration = '', client, method, path] = match;
    const moment = digitsToClock([year, month, day, hour, minute, second]);
    return accessLine(line, moment, `${method} ${path}`, Number(status), {
      'client.address': client === '' ? undefined : client,
      duration_ms: goDuration(duration),
    });
  },
};

/** A duration as Go writes it, `29m59s` or `414.019µs`, in milliseconds; undefined: another text. */
function goDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(h|ms|m|s|µs|us|ns)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * UNITS_MS.get(unit)!, 0);
  return Math.round(sum * 1e6) / 1e6;
}
