import { FileHead, type RecordBorders } from '../../../model/storage/source.ts';
import { parseObject } from '../log-lines/envelope.ts';

const [LINE_FEED, RETURN, OPEN, CLOSE, QUOTE] = [0x0a, 0x0d, 0x7b, 0x7d, 0x22];

/** Between two JSON lines: no record of JSON lines goes on from the one before. Other logs are not cut. */
export function lineBorders(head: Uint8Array): RecordBorders | undefined {
  const lines = new FileHead(head).text.split('\n', 4).slice(0, -1);
  const isJson = (line: string) => line.startsWith('{"') && !/^\{"(?:log|stream)":/.test(line) && parseObject(line);
  if (lines.length === 0 || !lines.every(isJson)) return undefined;
  return {
    lastIn(chunk) {
      for (let at = chunk.lastIndexOf(LINE_FEED); at > 0; at = chunk.lastIndexOf(LINE_FEED, at - 1)) {
        const before = chunk[at - 1] === RETURN ? at - 2 : at - 1;
        if (chunk[before] === CLOSE && chunk[at + 1] === OPEN && chunk[at + 2] === QUOTE) return at + 1;
      }
      return -1;
    },
  };
}
