import type { InfluxHead } from '../series-meaning/influx-series.ts';

/**
 * One line of the InfluxDB line protocol (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/):
 * `measurement,tag=value field=1.5,other="text" 1777644600000000000`.
 */
export interface InfluxLine {
  /** Measurement and tags as written: equal texts are equal series. */
  readonly head: string;
  readonly fields: readonly (readonly [name: string, value: number | string])[];
  /** Digits behind the fields; '' without. */
  readonly time: string;
}

const [SPACE, COMMA, EQUALS, QUOTE, BACKSLASH] = [0x20, 0x2c, 0x3d, 0x22, 0x5c];
const unescaped = (text: string): string => (text.includes('\\') ? text.replace(/\\([,= "\\])/g, '$1') : text);

/** Index of the first of two characters that is not escaped; the length of the text when there is none. */
function endOf(text: string, from: number, stop: number, other = stop): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === stop || code === other) return at;
  }
  return text.length;
}

/** Index behind the quote that closes the text at `from`; -1: it is not closed. */
function behindQuotes(text: string, from: number): number {
  const end = endOf(text, from + 1, QUOTE);
  return end < text.length ? end + 1 : -1;
}

/** @returns the reason when the line is none of the protocol */
export function readInfluxLine(text: string): InfluxLine | string {
  const headEnd = endOf(text, 0, SPACE);
  if (headEnd === 0 || headEnd >= text.length) return 'a line without fields';
  const fields: (readonly [string, number | string])[] = [];
  let at = headEnd + 1;
  for (;;) {
    const nameEnd = endOf(text, at, EQUALS, SPACE);
    if (nameEnd === at || text.charCodeAt(nameEnd) !== EQUALS) return 'a field without a value';
    const isText = text.charCodeAt(nameEnd + 1) === QUOTE;
    const end = isText ? behindQuotes(text, nameEnd + 1) : endOf(text, nameEnd + 1, COMMA, SPACE);
    if (end < 0) return 'a text that is not closed';
    const value = isText ? unescaped(text.slice(nameEnd + 2, end - 1)) : numberOf(text.slice(nameEnd + 1, end));
    if (value === undefined) return 'a field that is no number, text or boolean';
    fields.push([unescaped(text.slice(at, nameEnd)), value]);
    at = end + 1;
    if (text.charCodeAt(end) === COMMA) continue;
    if (end < text.length && text.charCodeAt(end) !== SPACE) return 'a text that does not end its field';
    break;
  }
  const time = text.slice(at).trim();
  return time === '' || /^-?\d{1,19}$/.test(time)
    ? { head: text.slice(0, headEnd), fields, time }
    : 'a time that is no whole number';
}

/** `3`, `3i`, `3u`, `true` (1): numbers of more than 53 bits are rounded. */
function numberOf(text: string): number | undefined {
  if (/^-?\d+[iu]$/.test(text)) return Number(text.slice(0, -1));
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (/^(?:t|T|true|True|TRUE)$/.test(text)) return 1;
  return /^(?:f|F|false|False|FALSE)$/.test(text) ? 0 : undefined;
}

/** undefined: a tag has no name or no value. */
export function readInfluxHead(head: string): InfluxHead | undefined {
  let at = endOf(head, 0, COMMA);
  const measurement = unescaped(head.slice(0, at));
  const tags = new Map<string, string>();
  while (at < head.length) {
    const nameEnd = endOf(head, at + 1, EQUALS, COMMA);
    if (nameEnd === at + 1 || head.charCodeAt(nameEnd) !== EQUALS) return undefined;
    const end = endOf(head, nameEnd + 1, COMMA);
    if (end === nameEnd + 1) return undefined;
    tags.set(unescaped(head.slice(at + 1, nameEnd)), unescaped(head.slice(nameEnd + 1, end)));
    at = end;
  }
  return measurement === '' ? undefined : { measurement, tags };
}
