import type { RowBatch } from '../../../model/rows/rows.ts';
import { Output } from '../../sources/otlp/output.ts';
import { DocumentDecoder } from '../../sources/otlp-json/document.ts';
import { BrokenJson } from '../../sources/otlp-json/lexer.ts';
import { RequestDecoder } from '../../sources/otlp-protobuf/request.ts';
import { Malformed, WireReader } from '../../sources/otlp-protobuf/wire.ts';
import type { PackedRequest, ReadRound, Receipt } from './messages.ts';
import { unpack } from './unpack.ts';

const SPACE = 0x20;
/** `{` */
const BRACE = 0x7b;
/** What names and resources were called is remembered over so much input: of what anybody sends no more is held. */
const REMEMBERED_BYTES = 64 * 1024 * 1024;

/** What all protobuf requests are read with; a batch is of several of them. */
interface Shared {
  readonly out: Output;
  readonly decoder: RequestDecoder;
  bytes: number;
}

/**
 * Reads requests into rows, those that came together as one round: what they have in common is then worked out once.
 * One request after the other is unpacked, so that no more than one lies unpacked in memory.
 */
export class RoundReader {
  private readonly name: string;
  private shared: Shared | undefined;
  private batches: RowBatch[] = [];
  private receipts: { id: number; receipt: Receipt }[] = [];
  /** Unpacked bytes of the round. */
  bytes = 0;

  /** @param name of the source, for rejects */
  constructor(name: string) {
    this.name = name;
  }

  /** @throws what is a mistake of ours; the round is lost then, and no receipt of it may be told */
  read({ id, bytes: packed, encoding, packing }: PackedRequest): void {
    const bytes = unpack(packed, packing);
    const receipt: Receipt =
      bytes === null
        ? { kind: 'refused', why: 'the body cannot be unpacked, or is too large' }
        : encoding === 'json'
          ? this.json(bytes)
          : this.protobuf(bytes);
    this.bytes += bytes?.length ?? 0;
    this.receipts.push({ id, receipt });
  }

  /** What was read since this was last asked. */
  finish(): ReadRound {
    const { shared, receipts } = this;
    const batches = shared ? [...this.batches, ...shared.out.take(shared.bytes, true)] : this.batches;
    if (shared && shared.bytes > REMEMBERED_BYTES) this.shared = undefined;
    [this.batches, this.receipts, this.bytes] = [[], [], 0];
    return { batches, receipts };
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

  /** A text that breaks off is refused as a whole: its rows must not be among those of others. */
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

  private begin(): Shared {
    const out = new Output(this.name);
    return { out, decoder: new RequestDecoder(out), bytes: 0 };
  }
}

/**
 * Whether the fields of a request, and those of each of its resources, follow one another to the end: what does not is no OTLP at
 * all. Steps over records, so it costs nothing beside reading them.
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
