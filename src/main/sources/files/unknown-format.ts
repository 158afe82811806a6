import type { FileHead, Source } from '../../../model/storage/source.ts';

/** Characters of a head that are compared with what formats look for. */
const COMPARED = 8192;
const MOST_NAMES = 6;
const MOST_GUESSES = 2;
/** Shared words that make a format likelier than one whose columns are only to be named. */
const CERTAIN_WORDS = 3;
/** Words of many formats are no hint at any of them. */
const COMMON = new Set(
  'json with and the lists lines objects object list file files csv such time name value'.split(' '),
);

/**
 * What a file of no known format looks like, and which formats are nearest by the words that they share: two short lines.
 */
export function describeUnknown(head: FileHead, sources: readonly Source[]): string {
  const seen = `it looks like ${appearance(head)}`;
  const mapping = mappingOf(head);
  const guesses = nearest(head, sources, mapping === undefined ? 1 : CERTAIN_WORDS);
  if (guesses.length === 0 && mapping !== undefined) return `${seen}\n${mapping}`;
  return guesses.length === 0
    ? `${seen}; formats: docs/formats.md`
    : `${seen}\nnearest: ${guesses.map(({ id, looks_for }) => `${id} (${looks_for})`).join('; ')}; --as FORMAT reads it as one`;
}

/** How a table or JSON lines of unknown names can be read all the same; undefined: they are neither. */
function mappingOf(head: FileHead): string | undefined {
  const { text, json } = head;
  if (typeof json === 'object' && json !== null && !Array.isArray(json) && /^\{.*\}\s*\n\{/.test(text))
    return 'if its lines are log records, name their fields: --as application-log --map log,time=FIELD,body=FIELD';
  if (columnsOf(text) === undefined) return undefined;
  return 'name its columns: --as sample-csv --map metric,time=COLUMN,value=COLUMN,metric=COLUMN, or --as log-csv --map log,time=COLUMN,body=COLUMN';
}

/** The columns of a table by its first line; undefined: it is none. */
function columnsOf(text: string): readonly string[] | undefined {
  const [first = ''] = text.split('\n', 1);
  const columns = first.split(',').map((column) => column.trim());
  return columns.length > 2 && columns.every((column) => /^"?[A-Za-z_][\w .-]*"?$/.test(column)) ? columns : undefined;
}

function appearance(head: FileHead): string {
  const { text, json } = head;
  if (typeof json === 'object' && json !== null) {
    const record = Array.isArray(json) ? json[0] : json;
    const names = typeof record === 'object' && record !== null ? Object.keys(record).slice(0, MOST_NAMES) : [];
    const members =
      names.length === 0 ? '' : ` with ${names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')}`;
    return `JSON: ${Array.isArray(json) ? 'a list of objects' : 'an object'}${members}`;
  }
  if (isBinary(head.bytes)) return `binary data that begins with ${hexOf(head.bytes)}`;
  const [first = ''] = text.split('\n', 1);
  const tag = /^\s*(?:<\?xml[^>]*>\s*)?<([A-Za-z][\w:.-]*)/.exec(text.slice(0, 1000))?.[1];
  if (tag !== undefined) return `XML: <${tag}>`;
  const columns = columnsOf(text);
  if (columns) return `a table with the columns ${columns.slice(0, MOST_NAMES).join(', ')}`;
  return `text: ${JSON.stringify(first.trim().slice(0, 60))}`;
}

/** Control characters that no text has. */
const isBinary = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, COMPARED).some((byte) => byte < 9 || (byte > 13 && byte < 27) || byte === 0x7f);

const hexOf = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

function nearest(head: FileHead, sources: readonly Source[], least: number): readonly Source[] {
  if (isBinary(head.bytes)) return [];
  const words = wordsOf(head.text.slice(0, COMPARED));
  const scored = sources.map((source) => {
    const shared = [...wordsOf(source.looks_for)].filter((word) => words.has(word));
    return { source, score: shared.length };
  });
  return scored
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_GUESSES)
    .map(({ source }) => source);
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[a-z_][\w.]{2,40}/g) ?? []).filter((word) => !COMMON.has(word)));
