import type { Encoding, Receipt } from './messages.ts';

/** What a sender gets. */
export interface Reply {
  readonly status: number;
  /** Absent: no body. */
  readonly text?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the body of a request is read, and what its sender gets for it. */
export interface Route {
  readonly encoding: Encoding;
  readonly packing: string;
  /** Status where there is no room now. */
  readonly busy: 429 | 503;
  readonly replyTo: (receipt: Exclude<Receipt, { readonly kind: 'full' }>) => Reply;
}
