import type { RowBatch } from '../../../model/rows/rows.ts';

/** The result for a sender. `rejected`: number of invalid records, which should not be sent again. */
export type Receipt =
  | { readonly kind: 'kept'; readonly rejected: number; readonly why: string }
  /** Nothing was stored: to be sent again later. */
  | { readonly kind: 'full' }
  /** It is not OTLP. */
  | { readonly kind: 'refused'; readonly why: string };

export type Encoding = 'protobuf' | 'json';

/** A request as received, for the reading thread. */
export interface PackedRequest {
  readonly id: number;
  /** Transferred: the sending thread loses access. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  /** As in HTTP's Content-Encoding: `identity`, `gzip`. */
  readonly packing: string;
}

/** The rows of several requests; their receipts are sent only after the rows are stored. */
export interface ReadRound {
  readonly batches: readonly RowBatch[];
  readonly receipts: readonly { readonly id: number; readonly receipt: Receipt }[];
}
