import type { ScrapedType } from '../series-meaning/scraped.ts';
import { LineError } from './sample-line.ts';

export type Comment =
  | { readonly kind: 'help' | 'unit'; readonly name: string; readonly text: string }
  | { readonly kind: 'type'; readonly name: string; readonly type: ScrapedType }
  | { readonly kind: 'end' }
  | { readonly kind: 'other'; readonly text: string };

const types: Readonly<Record<string, ScrapedType>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
  gaugehistogram: 'gaugehistogram',
  summary: 'summary',
  info: 'info',
  stateset: 'stateset',
  untyped: 'unknown',
  unknown: 'unknown',
};
const COMMENT = /^#[ \t]*(HELP|TYPE|UNIT)(?:[ \t]+(?:"((?:[^"\\]|\\.)*)"|([^ \t]+))(?:[ \t]+(.*))?)?[ \t]*$/;
const withoutEscapes = (text: string): string => text.replace(/\\([\\n"])/g, (_, c: string) => (c === 'n' ? '\n' : c));

/**
 * A line that starts with `#`.
 * @throws LineError on an unknown TYPE
 */
export function parseComment(line: string): Comment {
  if (/^#[ \t]*EOF[ \t]*$/.test(line)) return { kind: 'end' };
  const match = COMMENT.exec(line);
  const [, keyword, quoted, unquoted, rest = ''] = match ?? [];
  const name = quoted === undefined ? (unquoted ?? '') : withoutEscapes(quoted);
  if (!match || name === '') return { kind: 'other', text: line.slice(1).trim() };
  if (quoted === undefined && !/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new LineError('malformed metric name');
  if (keyword === 'HELP') return { kind: 'help', name, text: withoutEscapes(rest) };
  if (keyword === 'UNIT') return { kind: 'unit', name, text: rest.trim() };
  const word = rest.trim().toLowerCase();
  if (!Object.hasOwn(types, word)) throw new LineError(`"${word}" is not a metric type`);
  return { kind: 'type', name, type: types[word]! };
}
