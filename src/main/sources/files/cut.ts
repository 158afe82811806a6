import { type Problem, ProblemError } from '../../../model/problem.ts';
import { takeBuffer } from '../../../model/rows/buffer-pool.ts';
import type { ReadOrder, RecordBorders, Source } from '../../../model/storage/source.ts';
import { openBytes } from '../bytes/decompress.ts';
import { createDigest } from './digest.ts';
import { isPlain, readHead, reusedReads } from './read-head.ts';

/** A piece ends at the first border after so many bytes: some batches' worth. The curve: `bench --only curves`. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** A file on its way to several readers: pieces in turn, each as `begin`, bytes in order, `end`. */
export type PieceMessage =
  /** `offset`: of its first byte in the decompressed file. */
  | { readonly kind: 'begin'; readonly offset: number }
  /** `raw_bytes`: how much of the file as it lies on disk has been read. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly raw_bytes: number }
  /** The file is broken here; what came before counts. */
  | { readonly kind: 'broken'; readonly problem: Problem }
  | { readonly kind: 'end' };

/** Takes a message for the reader whose turn it is; settles when there is room for the next. */
export type Deal = (piece: number, message: PieceMessage) => Promise<void>;

/**
 * Reads a file once: hashes, decompresses and deals it out in pieces at the format's borders, so that several
 * threads decode it.
 * @param begin called with the head of the file, from which every reader recognises its framing
 */
export async function cut(
  { files: [file] }: ReadOrder,
  source: Source,
  begin: (head: Uint8Array) => void,
  deal: Deal,
  pieceBytes = PIECE_BYTES,
): Promise<{ readonly digest: string; readonly bytes: number }> {
  const location = file?.location ?? '';
  const head = await readHead(location);
  begin(head);
  const hash = createDigest();
  let raw = 0;
  async function* hashed(from: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const chunk of reusedReads(location, from)) {
      hash.update(chunk);
      raw += chunk.length;
      yield chunk;
    }
  }
  const pieces = new Pieces(source.borders?.(head), pieceBytes, deal, () => raw);
  await pieces.begin();
  try {
    // What is decompressed belongs to the decompressor, what is read as it is may be handed on.
    if (await isPlain(location)) for await (const chunk of hashed(0)) await pieces.take(chunk);
    else for await (const chunk of openBytes(hashed(0))) await pieces.take(copied(chunk));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    await pieces.broken(error.problem);
  }
  await pieces.end();
  // What follows a broken compressed stream is hashed all the same.
  for await (const _ of hashed(raw));
  return { digest: hash.text(), bytes: raw };
}

function copied(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(takeBuffer(chunk.length), 0, chunk.length);
  copy.set(chunk);
  return copy;
}

class Pieces {
  private readonly borders: RecordBorders | undefined;
  private readonly pieceBytes: number;
  private readonly deal: Deal;
  private readonly raw: () => number;
  private piece = 0;
  private from = 0;
  private offset = 0;

  constructor(borders: RecordBorders | undefined, pieceBytes: number, deal: Deal, raw: () => number) {
    this.borders = borders;
    this.pieceBytes = pieceBytes;
    this.deal = deal;
    this.raw = raw;
  }

  /** Takes a chunk that no other code reads. */
  async take(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    const border = this.borders?.lastIn(chunk) ?? -1;
    if (border < 0 || this.offset + border - this.from < this.pieceBytes) return this.send(chunk);
    const rest = copied(chunk.subarray(border));
    await this.send(chunk.subarray(0, border));
    await this.end();
    this.piece++;
    this.from = this.offset;
    await this.begin();
    await this.send(rest);
  }

  begin(): Promise<void> {
    return this.deal(this.piece, { kind: 'begin', offset: this.offset });
  }

  broken(problem: Problem): Promise<void> {
    return this.deal(this.piece, { kind: 'broken', problem });
  }

  end(): Promise<void> {
    return this.deal(this.piece, { kind: 'end' });
  }

  private async send(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (bytes.length === 0) return;
    this.offset += bytes.length;
    await this.deal(this.piece, { kind: 'bytes', bytes, raw_bytes: this.raw() });
  }
}
