import { type Line, readLines } from './lines.ts';

/** Quoted cells may hold line ends; a quote that never ends must not fill the memory. */
const LONGEST_ROW = 1024 * 1024;

/** Rows of a CSV file as text: a line whose quotes are not closed goes on in the next one. */
export async function* csvLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let open: Line | undefined;
  for await (const { text, at } of readLines(chunks)) {
    open = open ? { text: `${open.text}\n${text}`, at: open.at } : { text, at };
    const isOpen = (open.text.split('"').length - 1) % 2 === 1;
    if (isOpen && open.text.length < LONGEST_ROW) continue;
    yield open;
    open = undefined;
  }
  if (open) yield open;
}
