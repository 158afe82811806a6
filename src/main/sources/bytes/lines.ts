/** One line of text without its line end, and the byte offset at which it starts. */
export interface Line {
  readonly text: string;
  readonly at: number;
}

/** Longer lines are cut: no format at hand has them, and a file without line ends must not fill the memory. */
const MAX_LINE = 16 * 1024 * 1024;
const decoder = new TextDecoder();

/** The lines of a file, whatever pieces it comes in; LF or CRLF, the last one with or without an end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  /** Pieces of the line that has begun, joined only once: a long line comes in many. */
  let rest: Uint8Array[] = [];
  let carriedBytes = 0;
  let at = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const piece = chunk.subarray(from, end);
      yield lineOf(carriedBytes === 0 ? piece : Buffer.concat([...rest, piece]), at);
      at += carriedBytes + piece.length + 1;
      rest = [];
      carriedBytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    // A copy: the producer may reuse its buffer.
    rest.push(chunk.slice(from));
    carriedBytes += chunk.length - from;
    if (carriedBytes <= MAX_LINE) continue;
    yield lineOf(Buffer.concat(rest), at);
    at += carriedBytes;
    rest = [];
    carriedBytes = 0;
  }
  if (carriedBytes > 0) yield lineOf(Buffer.concat(rest), at);
}

function lineOf(bytes: Uint8Array, at: number): Line {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const text = decoder.decode(bytes.subarray(0, end));
  return { text: at === 0 ? text.replace(/^\uFEFF/, '') : text, at };
}
