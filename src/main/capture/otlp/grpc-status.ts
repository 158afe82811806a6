import type { Receipt } from './messages.ts';
import { responseProtobuf } from './responses.ts';

/** gRPC status codes (grpc.github.io/grpc/core/md_doc_statuscodes.html) that a receiver uses. */
export const status = {
  ok: 0,
  invalidArgument: 3,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
} as const;

/** Result of a call. */
export interface Outcome {
  readonly status: number;
  /** null: none, the status gives the reason. */
  readonly message: Buffer | null;
  readonly trailers: Readonly<Record<string, string>>;
}

export const refusal = (code: number, why: string): Outcome => ({
  status: code,
  message: null,
  trailers: { 'grpc-message': encodeURIComponent(why) },
});

export function outcomeOf(receipt: Receipt): Outcome {
  if (receipt.kind === 'full') return later();
  if (receipt.kind === 'refused') return refusal(status.invalidArgument, receipt.why);
  return { status: status.ok, message: responseProtobuf(receipt), trailers: {} };
}

const WAIT = 'rows wait to be written: send it again';
const RETRY_AFTER_S = 1;

/** A sender retries after RESOURCE_EXHAUSTED only if the status contains a delay (google.rpc.RetryInfo). */
function later(): Outcome {
  const delay = field(1, Buffer.from([0x08, RETRY_AFTER_S]));
  const info = Buffer.concat([field(1, Buffer.from('type.googleapis.com/google.rpc.RetryInfo')), field(2, delay)]);
  const statusMessage = Buffer.concat([
    Buffer.from([0x08, status.resourceExhausted]),
    field(2, Buffer.from(WAIT)),
    field(3, info),
  ]);
  const { trailers, ...rest } = refusal(status.resourceExhausted, WAIT);
  return { ...rest, trailers: { ...trailers, 'grpc-status-details-bin': statusMessage.toString('base64') } };
}

/** A bytes field, shorter than 128. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
