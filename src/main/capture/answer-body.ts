import { fail } from '../../model/problem.ts';

/**
 * Reads a whole response body, of `fetch` or `node:http`.
 *
 * @param watch receives each chunk; an exception from it ends the read
 * @throws ProblemError feed.too_large
 */
export async function bodyOf(
  answer: AsyncIterable<Uint8Array> | null,
  most: number,
  watch: (chunk: Uint8Array) => void = () => undefined,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer ?? []) {
    size += chunk.length;
    if (size > most) fail('feed.too_large', `it answered more than ${most} bytes`);
    watch(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** undefined if the body is not JSON, or nested too deeply. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
