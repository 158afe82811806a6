import type { RecordBorders } from '../../../model/storage/source.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Between requests that each begin a line: nowhere else in sound JSON does a closing brace end a line and an object
 * begin the next one.
 */
export const lineBorders: RecordBorders = {
  lastIn: (chunk) => {
    for (let at = chunk.lastIndexOf(LINE_FEED); at > 0; at = chunk.lastIndexOf(LINE_FEED, at - 1)) {
      const before = chunk[at - 1] === RETURN ? at - 2 : at - 1;
      if (chunk[before] === 0x7d && chunk[at + 1] === 0x7b && chunk[at + 2] === 0x22) return at + 1;
    }
    return -1;
  },
};
