import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { headerBytes, type ZipMember, zipLayout } from '../../core/bundle/zip-layout.ts';
import type { BundleMember } from '../../model/storage/bundle.ts';

/** Bytes of a file that are read at once. */
const PIECE = 1 << 20;

/** Writes a bundle's zip member by member; headers come last, when sizes and sums are known. */
export class ZipWriter {
  private at = 0;
  private readonly file: FileHandle;
  private readonly written: ZipMember[] = [];
  readonly members: BundleMember[] = [];

  private constructor(file: FileHandle) {
    this.file = file;
  }

  static async create(path: string): Promise<ZipWriter> {
    return new ZipWriter(await open(path, 'w', 0o600));
  }

  /** @param onBytes gets how many bytes have been written since it was called last */
  async addFile(name: string, path: string, onBytes: (bytes: number) => void = () => undefined): Promise<void> {
    const { size } = await stat(path);
    await this.add(name, size, createReadStream(path, { highWaterMark: PIECE }), onBytes);
  }

  async addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.add(name, bytes.length, [bytes]);
  }

  private async add(
    name: string,
    bytes: number,
    content: AsyncIterable<Buffer> | Iterable<Buffer>,
    onBytes: (bytes: number) => void = () => undefined,
  ): Promise<void> {
    this.at += headerBytes({ name, bytes });
    const hash = createHash('sha256');
    let crc = 0;
    for await (const piece of content) {
      hash.update(piece);
      crc = crc32(piece, crc);
      await this.file.write(piece, 0, piece.length, this.at);
      this.at += piece.length;
      onBytes(piece.length);
    }
    this.written.push({ name, bytes, crc });
    this.members.push({ name, bytes, sha256: hash.digest('hex') });
  }

  /** Makes what was written a zip. */
  async finish(): Promise<void> {
    const { headers, directory, directoryAt } = zipLayout(this.written);
    for (const { at, bytes } of headers) await this.file.write(bytes, 0, bytes.length, at);
    await this.file.write(directory, 0, directory.length, directoryAt);
    await this.file.sync();
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
