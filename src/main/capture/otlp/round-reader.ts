import type { RowBatch } from '../../../model/rows/rows.ts';
import { Malformed, WireReader } from '../../sources/bytes/protobuf-wire.ts';
import { Output } from '../../sources/otlp/output.ts';
import { DocumentDecoder } from '../../sources/otlp-json/document.ts';
import { BrokenJson } from '../../sources/otlp-json/lexer.ts';
import { RequestDecoder } from '../../sources/otlp-protobuf/request.ts';
import type { PackedRequest, ReadRound, Receipt } from './messages.ts';
import { unpack } from './unpack.ts';
import { WriteReader } from './write-reader.ts';

const SPACE = 0x20;
/** `{` */
const BRACE = 0x7b;
/** The cache of names and resources is cleared after so much input, so that it stays small. */
const REMEMBERED_BYTES = 64 * 1024 * 1024;

/** Shared state of all protobuf requests; a batch contains several requests. */
interface Shared {
  readonly out: Output;
  readonly decoder: RequestDecoder;
  bytes: number;
}

/**
 * Reads requests into rows. Requests that arrive together form a round and share work. One request at a time is
 * decompressed, to limit memory.
 */
export class RoundReader {
  private readonly name: string;
  private readonly writes: WriteReader;
  private shared: Shared | undefined;
  private batches: RowBatch[] = [];
  private receipts: { id: number; receipt: Receipt }[] = [];
  /** Decompressed bytes of the round. */
  bytes = 0;

  /** @param name name of the data source, for rejects */
  constructor(name: string) {
    this.name = name;
    this.writes = new WriteReader(name);
  }

  /** @throws our own bugs; the round is then lost, and no receipt of it may be sent */
  read({ id, bytes: packed, encoding, packing }: PackedRequest): void {
    const bytes = unpack(packed, packing);
    const receipt: Receipt =
      bytes === null
        ? { kind: 'refused', why: 'the body cannot be decompressed, or is too large' }
        : this[encoding](bytes);
    this.bytes += bytes?.length ?? 0;
    this.receipts.push({ id, receipt });
  }

  /** Rows since the last call; at the end also what was held. */
  finish(isLast = false): ReadRound {
    const { shared, receipts } = this;
    const otlp = shared ? [...this.batches, ...shared.out.take(shared.bytes, true)] : this.batches;
    const writes = this.writes.finish(isLast);
    const batches = [...otlp, ...writes.batches];
    if (shared && shared.bytes > REMEMBERED_BYTES) this.shared = undefined;
    [this.batches, this.receipts, this.bytes] = [[], [], 0];
    return { batches, receipts, held: writes.held, isLast };
  }

  private protobuf(bytes: Uint8Array): Receipt {
    if (!isRequest(bytes)) return { kind: 'refused', why: 'the body is no OTLP request in protobuf' };
    this.shared ??= this.begin();
    const { out, decoder, bytes: before } = this.shared;
    const rejects = out.rejects;
    decoder.request(bytes, { start: 0, end: bytes.length }, before, false);
    this.shared.bytes += bytes.length;
    return acceptedReceipt(out.rejects - rejects);
  }

  /** Incomplete JSON is refused as a whole: none of its rows may be stored. */
  private json(bytes: Uint8Array): Receipt {
    const first = bytes.findIndex((byte) => byte > SPACE);
    if (bytes[first] !== BRACE) return { kind: 'refused', why: 'the body is no OTLP request in JSON' };
    const out = new Output(this.name);
    try {
      new DocumentDecoder(out).document(bytes, 0, bytes.length, 0);
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      return { kind: 'refused', why: `broken JSON: ${error.message}` };
    }
    this.batches.push(...out.take(bytes.length, true));
    return acceptedReceipt(out.rejects);
  }

  private 'remote-write'(bytes: Uint8Array): Receipt {
    return this.writes.read(bytes);
  }

  private begin(): Shared {
    const out = new Output(this.name);
    return { out, decoder: new RequestDecoder(out), bytes: 0 };
  }
}

/**
 * Checks that the fields of a request and of its resources are complete; otherwise it is not OTLP. Skips records, so it
 * is cheap.
 */
function isRequest(bytes: Uint8Array): boolean {
  const wire = new WireReader();
  wire.open(bytes);
  const follow = (end: number, visit: (end: number) => void): void => {
    while (wire.position < end) {
      const key = wire.key(end);
      if (key !== 0x0a) wire.skip(key, end);
      else visit(wire.lengthEnd(end));
    }
  };
  try {
    wire.position = 0;
    follow(bytes.length, (resourceEnd) =>
      follow(resourceEnd, (end) => {
        wire.position = end;
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

const acceptedReceipt = (rejected: number): Receipt => ({
  kind: 'kept',
  rejected,
  why: rejected === 0 ? '' : 'records that are no valid OTLP were counted and left out',
});
