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
  let rest: Uint8Array = new Uint8Array(0);
  let at = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      yield lineOf(bytes.subarray(from, end), at + from);
      from = end + 1;
    }
    if (bytes.length - from > MAX_LINE) {
      yield lineOf(bytes.subarray(from), at + from);
      from = bytes.length;
    }
    // A copy: the producer may reuse its buffer.
    rest = bytes.slice(from);
    at += from;
  }
  if (rest.length > 0) yield lineOf(rest, at);
}

function lineOf(bytes: Uint8Array, at: number): Line {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const text = decoder.decode(bytes.subarray(0, end));
  return { text: at === 0 ? text.replace(/^\uFEFF/, '') : text, at };
}
