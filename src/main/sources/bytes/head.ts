import { DETECT_BYTES, FileHead } from '../../../model/storage/source.ts';

/** The start of a stream, however it is cut, as detection would see it. */
export async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<FileHead> {
  const seen: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    seen.push(Uint8Array.from(chunk));
    length += chunk.length;
    if (length >= DETECT_BYTES) break;
  }
  return new FileHead(Buffer.concat(seen).subarray(0, DETECT_BYTES));
}
