import type { RowBatch } from '../../../model/rows/rows.ts';

/** What a sender is told. `rejected`: records that could not be read; they need not be sent again. */
export type Receipt =
  | { readonly kind: 'kept'; readonly rejected: number; readonly why: string }
  /** Nothing of it was kept: to be sent again, later. */
  | { readonly kind: 'full' }
  /** Not OTLP at all. */
  | { readonly kind: 'refused'; readonly why: string };

export type Encoding = 'protobuf' | 'json';

/** A request as it came, on its way to the thread that reads it. */
export interface PackedRequest {
  readonly id: number;
  /** Transferred: whoever sends it has it no more. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  /** As HTTP names it: `identity`, `gzip`. */
  readonly packing: string;
}

/** Several requests, read: their receipts hold once their rows are kept, and none is told before. */
export interface ReadRound {
  readonly batches: readonly RowBatch[];
  readonly receipts: readonly { readonly id: number; readonly receipt: Receipt }[];
}
