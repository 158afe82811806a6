/** One line of text without its line end, and the byte offset at which it starts. */
export interface Line {
  readonly text: string;
  readonly at: number;
}

/** Longer lines are cut: no format at hand has them, and a file without line ends must not fill the memory. */
const MAX_LINE = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;
const decoder = new TextDecoder();

/** Whole lines as bytes, and the byte offset at which the first one starts. */
export interface LineBytes {
  /** Every line with its line end, but perhaps the last one of a file. Valid until the next are requested. */
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** The lines of a file, many at once, whatever pieces it comes in. */
export async function* readLineBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LineBytes> {
  /** Pieces of the line that has begun, joined only once: a long line comes in many. */
  let rest: Uint8Array[] = [];
  let carriedBytes = 0;
  let at = 0;
  for await (const chunk of chunks) {
    let from = 0;
    if (carriedBytes > 0) {
      from = chunk.indexOf(LINE_FEED) + 1;
      if (from > 0) {
        const bytes = Buffer.concat([...rest, chunk.subarray(0, from)]);
        yield { bytes, at };
        at += bytes.length;
        rest = [];
        carriedBytes = 0;
      }
    }
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > from) {
      yield { bytes: chunk.subarray(from, end), at };
      at += end - from;
      from = end;
    }
    if (from === chunk.length) continue;
    // A copy: the producer may reuse its buffer.
    rest.push(chunk.slice(from));
    carriedBytes += chunk.length - from;
    if (carriedBytes <= MAX_LINE) continue;
    yield { bytes: Buffer.concat(rest), at };
    at += carriedBytes;
    rest = [];
    carriedBytes = 0;
  }
  if (carriedBytes > 0) yield { bytes: Buffer.concat(rest), at };
}

/** The lines of a file; LF or CRLF, the last one with or without an end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  for await (const { bytes, at } of readLineBytes(chunks)) {
    for (let from = 0; from < bytes.length; ) {
      const end = endOfLine(bytes, from);
      yield lineOf(bytes.subarray(from, end), at + from);
      from = end + 1;
    }
  }
}

/** Index of the line end behind `from`, or the length of the bytes. */
export function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LINE_FEED, from);
  return end < 0 ? bytes.length : end;
}

/** One line of a file, without its LF, as text. */
export function lineOf(bytes: Uint8Array, at: number): Line {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const text = decoder.decode(bytes.subarray(0, end));
  return { text: at === 0 ? text.replace(/^\uFEFF/, '') : text, at };
}
