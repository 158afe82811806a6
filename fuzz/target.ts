import type fc from 'fast-check';

/** One hostile file. What it was made from is in `origin`; formats of many files find the others in `beside`. */
export interface HostileInput {
  readonly origin: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly siblings: Readonly<Record<string, Uint8Array>>;
  /** Bytes per chunk of a second reading, which must give the same. */
  readonly piece: number;
}

/** What came of an input. */
export interface Tally {
  readonly rows: number;
  readonly rejects: number;
}

/** Something that bytes from strangers go into. */
export interface Target {
  /** The source's id, `files` for archives, `calls` for the contract, or the language. */
  readonly id: string;
  readonly inputs: fc.Arbitrary<HostileInput>;
  /** Whatever is thrown is a defect. `folder` is empty, and emptied afterwards. */
  check(input: HostileInput, folder: string): Promise<Tally>;
}
