import { fail } from '../../../model/problem.ts';

/**
 * All bytes of a small document.
 * @throws ProblemError file.too_large
 */
export async function wholeFile(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes = 256 * 1024 * 1024,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      fail('file.too_large', `${name} is larger than such a document can be (${Math.round(maxBytes / 2 ** 20)} MiB)`, {
        place: name,
      });
    parts.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(parts);
}

/** All text of a small document, without byte order mark. */
export async function wholeText(chunks: AsyncIterable<Uint8Array>, name: string, maxBytes?: number): Promise<string> {
  return new TextDecoder().decode(await wholeFile(chunks, name, maxBytes)).replace(/^\uFEFF/, '');
}
