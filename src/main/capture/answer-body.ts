import { fail } from '../../model/problem.ts';

/**
 * All of an answer: `fetch`'s body or that of `node:http`.
 *
 * @param watch sees each piece as it comes; what it throws ends the answer
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

/** undefined: it is no JSON, or goes deeper than can be read. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
