import type { MessagePort } from 'node:worker_threads';
import { ProblemError } from '../../../model/problem.ts';
import { releaseBuffer } from '../../../model/rows/buffer-pool.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import type { Deal, PieceMessage } from './cut.ts';

/** Bytes on their way to one reader: enough to keep it busy while others have their turn. */
const MOST_UNDERWAY_BYTES = 12 * 1024 * 1024;

type PortMessage = PieceMessage | { readonly kind: 'head'; readonly head: Uint8Array } | { readonly kind: 'through' };

/** The cutting side of the ports: piece `k` goes to reader `k mod n`, so that their rows can be taken in file order. */
export class PieceDealer {
  private readonly ports: readonly MessagePort[];
  private readonly underway: number[];
  private room = Promise.withResolvers<void>();

  constructor(ports: readonly MessagePort[]) {
    this.ports = ports;
    this.underway = ports.map(() => 0);
    for (const [i, port] of ports.entries()) {
      port.on('message', (taken: Uint8Array<ArrayBuffer>) => {
        this.underway[i] = this.underway[i]! - taken.length;
        releaseBuffer(taken.buffer);
        this.room.resolve();
        this.room = Promise.withResolvers();
      });
    }
  }

  begin(head: Uint8Array): void {
    for (const port of this.ports) port.postMessage({ kind: 'head', head } satisfies PortMessage);
  }

  readonly deal: Deal = async (piece, message) => {
    const reader = piece % this.ports.length;
    const port = this.ports[reader]!;
    if (message.kind !== 'bytes') return port.postMessage(message satisfies PortMessage);
    this.underway[reader] = this.underway[reader]! + message.bytes.length;
    port.postMessage(message satisfies PortMessage, [message.bytes.buffer]);
    while ((this.underway[reader] as number) > MOST_UNDERWAY_BYTES) await this.room.promise;
  };

  end(): void {
    for (const port of this.ports) port.postMessage({ kind: 'through' } satisfies PortMessage);
  }
}

/** The reading side: what has arrived and was not taken yet. */
class PieceInbox {
  /** How much of the file lies before what was taken last. */
  raw_bytes = 0;
  private readonly port: MessagePort;
  private readonly messages: PortMessage[] = [];
  private arrived = Promise.withResolvers<void>();

  constructor(port: MessagePort) {
    this.port = port;
    port.on('message', (message: PortMessage) => {
      this.messages.push(message);
      this.arrived.resolve();
    });
  }

  async take(): Promise<PortMessage> {
    for (;;) {
      const message = this.messages.shift();
      if (message) return message;
      this.arrived = Promise.withResolvers();
      await this.arrived.promise;
    }
  }

  /** The bytes of the piece that has begun. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    let broken: ProblemError | undefined;
    for (let message = await this.take(); message.kind !== 'end'; message = await this.take()) {
      if (message.kind === 'broken') broken = new ProblemError(message.problem);
      if (message.kind !== 'bytes') continue;
      this.raw_bytes = message.raw_bytes;
      yield message.bytes;
      this.releasePiece(message.bytes);
    }
    if (broken) throw broken;
  }

  /** The cutter reads the next chunk into it. */
  releasePiece(bytes: Uint8Array<ArrayBuffer>): void {
    this.port.postMessage(bytes, [bytes.buffer]);
  }

  close(): void {
    this.port.close();
  }
}

/** Updates from a reader of pieces, in file order of its own pieces. */
export type PieceUpdate =
  | { readonly kind: 'batch'; readonly batch: RowBatch; readonly bytes_done: number }
  | { readonly kind: 'piece' };

/** Reads every piece that comes through a port as if it were a file. */
export async function* readPieces(
  source: Source,
  input: Omit<SourceInput, 'chunks' | 'piece'>,
  port: MessagePort,
): AsyncGenerator<PieceUpdate> {
  const inbox = new PieceInbox(port);
  let head: Uint8Array = new Uint8Array(0);
  for (let message = await inbox.take(); message.kind !== 'through'; message = await inbox.take()) {
    if (message.kind === 'head') head = message.head;
    // What a reader left that stopped before the end of its piece.
    if (message.kind === 'bytes') inbox.releasePiece(message.bytes);
    if (message.kind !== 'begin') continue;
    const piece = { offset: message.offset, head };
    for await (const batch of source.read({ ...input, chunks: inbox.chunks(), piece }))
      yield { kind: 'batch', batch, bytes_done: inbox.raw_bytes };
    yield { kind: 'piece' };
  }
  inbox.close();
}
