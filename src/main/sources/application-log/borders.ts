import { FileHead, type RecordBorders } from '../../../model/storage/source.ts';
import { parseObject } from '../log-lines/envelope.ts';
import { beginsAnew } from './begins-anew.ts';

const [LINE_FEED, RETURN, OPEN, CLOSE, QUOTE] = [0x0a, 0x0d, 0x7b, 0x7d, 0x22];
const FIRST_LINES = 60;
/** Longer lines are no borders: they are looked at from the end of each chunk. */
const LONGEST_LINE = 16_384;

/** Whether a file that begins so is JSON lines, none of them in an envelope. */
export function isJsonLines(head: Uint8Array): boolean {
  const lines = new FileHead(head).text.split('\n', 4).slice(0, -1);
  const isJson = (line: string) =>
    line.startsWith('{"') && !/^\{"(?:log|stream|labels)":/.test(line) && parseObject(line);
  return lines.length > 0 && lines.every(isJson);
}

/**
 * Between JSON lines, where no record goes on from the one before, and before lines of text that begin anew. Logs in the envelopes of
 * container runtimes are not cut: lines of one stream go on over those of the other.
 */
export function recordBorders(head: Uint8Array): RecordBorders | undefined {
  if (isJsonLines(head)) return { lastIn: lastObject };
  const lines = new FileHead(head).text.split('\n', FIRST_LINES).slice(0, -1);
  return lines.some((line) => beginsAnew(line)) ? { lastIn: lastTimedLine } : undefined;
}

function lastObject(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(LINE_FEED); at > 0; at = chunk.lastIndexOf(LINE_FEED, at - 1)) {
    const before = chunk[at - 1] === RETURN ? at - 2 : at - 1;
    if (chunk[before] === CLOSE && chunk[at + 1] === OPEN && chunk[at + 2] === QUOTE) return at + 1;
  }
  return -1;
}

const decoder = new TextDecoder();

function lastTimedLine(chunk: Uint8Array): number {
  let end = chunk.lastIndexOf(LINE_FEED);
  while (end > 0) {
    const before = chunk.lastIndexOf(LINE_FEED, end - 1);
    if (before < 0) return -1;
    const from = before + 1;
    if (end - from <= LONGEST_LINE && mayBegin(chunk[from]!) && beginsAnew(decoder.decode(chunk.subarray(from, end))))
      return from;
    end = before;
  }
  return -1;
}

/** A digit, or a bracket around them. */
const mayBegin = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x5b;
