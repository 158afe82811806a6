import type { Problem } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Nanos } from '../../../model/time.ts';

/** A page of a target, for the reading thread. */
export interface Page {
  /** For rejects. */
  readonly name: string;
  /** Transferred: the sending thread loses access. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** When it was requested. */
  readonly requestedAt: Nanos;
  /** Device of metrics that name none. */
  readonly device: string;
}

export type ReadPage =
  | { readonly kind: 'read'; readonly batches: readonly RowBatch[] }
  | { readonly kind: 'problem'; readonly problem: Problem };
