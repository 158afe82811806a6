import { DETECT_BYTES, FileHead, type SourceInput } from '../../../model/storage/source.ts';

/** The start of a file once more, for readers whose way through it depends on its form. */
export async function peekHead({ files }: SourceInput): Promise<FileHead> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of files[0]?.open() ?? []) {
    parts.push(Uint8Array.from(chunk));
    length += chunk.length;
    if (length >= DETECT_BYTES) break;
  }
  return new FileHead(Buffer.concat(parts).subarray(0, DETECT_BYTES));
}
