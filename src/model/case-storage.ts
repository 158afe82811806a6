import type { Engine } from './engine.ts';

/** An open case: its database, and where it lives. */
export interface StoredCase {
  readonly engine: Engine;
  readonly name: string;
  /** For the host and messages only; never crosses to the page. */
  readonly path: string;
  /** Of a case that was made just now: takes it away again, once its engine is closed. */
  discard?(): Promise<void>;
}

/** Where cases are kept, without saying how. */
export interface CaseStorage {
  open(path: string): Promise<StoredCase>;
  /** Makes an empty case of that name, or of that name with a number. */
  create(name: string): Promise<StoredCase>;
  recent(): Promise<readonly { readonly id: string; readonly name: string; readonly opened_at_ns: bigint }[]>;
  openRecent(id: string): Promise<StoredCase>;
}
