import type { RowBatch } from '../../../model/rows/rows.ts';
import type { WrittenCounts } from '../../sources/prometheus-remote-write/series-writer.ts';

/** The result for a sender. `rejected`: number of invalid records, which should not be sent again. */
export type Receipt =
  | {
      readonly kind: 'kept';
      readonly rejected: number;
      readonly why: string;
      /** Of remote write: what was kept. */
      readonly written?: WrittenCounts;
    }
  /** Nothing was stored: to be sent again later. */
  | { readonly kind: 'full' }
  /** It is no such request. */
  | { readonly kind: 'refused'; readonly why: string };

/** OTLP in protobuf or JSON; a request of Prometheus remote write. */
export type Encoding = 'protobuf' | 'json' | 'remote-write';

/** A request as received, for the reading thread. */
export interface PackedRequest {
  readonly id: number;
  /** Transferred: the sending thread loses access. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  /** As in HTTP's Content-Encoding: `identity`, `gzip`, `snappy`. */
  readonly packing: string;
}

/** The rows of several requests; their receipts are sent only after the rows are stored. */
export interface ReadRound {
  readonly batches: readonly RowBatch[];
  readonly receipts: readonly { readonly id: number; readonly receipt: Receipt }[];
  /** Rows of requests that have their receipts already, and so will not be sent again. */
  readonly held: number;
  readonly isLast: boolean;
}

/** To the reading thread: nothing follows. It answers with what it still held, marked as the last. */
export const END = 'end';
