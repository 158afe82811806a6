import type { Problem } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Nanos } from '../../../model/time.ts';

/** A page as a target answered it, on its way to the thread that reads it. */
export interface Page {
  /** For rejects. */
  readonly name: string;
  /** Transferred: whoever sends it has it no more. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** When it was asked for. */
  readonly requestedAt: Nanos;
  /** The machine that it speaks of where it does not say. */
  readonly device: string;
}

export type ReadPage =
  | { readonly kind: 'read'; readonly batches: readonly RowBatch[] }
  | { readonly kind: 'problem'; readonly problem: Problem };
