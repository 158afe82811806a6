import type { FoundFile } from './source.ts';

/** A part of an archive, as files in a temporary folder. */
export interface FetchedSlice {
  /** Of one source. None: the archive has no file of this window. */
  readonly files: readonly FoundFile[];
  discard(): Promise<void>;
}
