import fc from 'fast-check';
import { hostileTokens } from './hostile-tokens.ts';

/** A change to a file. Places are parts of a million of its length, so that they fit files of any size. */
export type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'byte'; readonly at: number; readonly byte: number }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'delete'; readonly at: number; readonly length: number }
  | { readonly kind: 'copy' | 'move'; readonly at: number; readonly length: number; readonly to: number }
  /** `replace` puts the token over the word, number or quoted text that is next. */
  | { readonly kind: 'insert' | 'replace'; readonly at: number; readonly token: Uint8Array };

/** No input grows beyond this. */
const MAX_BYTES = 1 << 20;
const WORD = /"(?:[^"\\]|\\.)*"|[-+]?\d[\d.eE+-]*|[A-Za-z_][\w.-]*/g;

/** Changes to files whose own words, and pieces of each other, are `vocabulary`. */
export function mutations(vocabulary: readonly Uint8Array[]): fc.Arbitrary<readonly Mutation[]> {
  const at = fc.nat(999_999);
  const length = fc.oneof(fc.nat(16), fc.nat(4096));
  const token = fc.oneof(fc.constantFrom(...hostileTokens), fc.constantFrom(...hostileTokens, ...vocabulary));
  const kind = <K extends Mutation['kind']>(...kinds: K[]): fc.Arbitrary<K> => fc.constantFrom(...kinds);
  return fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: kind('flip'), at, bit: fc.nat(7) }) },
      { weight: 2, arbitrary: fc.record({ kind: kind('byte'), at, byte: fc.nat(255) }) },
      { weight: 1, arbitrary: fc.record({ kind: kind('truncate'), at }) },
      { weight: 2, arbitrary: fc.record({ kind: kind('delete'), at, length }) },
      { weight: 3, arbitrary: fc.record({ kind: kind('copy', 'move'), at, length, to: at }) },
      { weight: 8, arbitrary: fc.record({ kind: kind('insert', 'replace', 'replace'), at, token }) },
    ),
    { minLength: 1, maxLength: 6 },
  );
}

export const mutated = (bytes: Uint8Array, changes: readonly Mutation[]): Uint8Array =>
  changes.reduce(change, bytes).subarray(0, MAX_BYTES);

function change(bytes: Uint8Array, mutation: Mutation): Uint8Array {
  const at = Math.floor((mutation.at / 1_000_000) * bytes.length);
  switch (mutation.kind) {
    case 'flip':
      return withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << mutation.bit));
    case 'byte':
      return withByte(bytes, at, mutation.byte);
    case 'truncate':
      return bytes.subarray(0, at);
    case 'delete':
      return spliced(bytes, at, at + mutation.length, new Uint8Array());
    case 'insert':
      return spliced(bytes, at, at, mutation.token);
    case 'replace': {
      const { from, to } = wordAfter(bytes, at);
      return spliced(bytes, from, to, mutation.token);
    }
    default: {
      const slice = bytes.slice(at, at + mutation.length);
      const rest = mutation.kind === 'copy' ? bytes : spliced(bytes, at, at + slice.length, new Uint8Array());
      const to = Math.floor((mutation.to / 1_000_000) * rest.length);
      return spliced(rest, to, to, slice);
    }
  }
}

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = Uint8Array.from(bytes); // Not slice(): a Buffer's shares its memory.
  if (at < changed.length) changed[at] = byte;
  return changed;
}

const spliced = (bytes: Uint8Array, from: number, to: number, put: Uint8Array): Uint8Array =>
  Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(to)]);

function wordAfter(bytes: Uint8Array, at: number): { readonly from: number; readonly to: number } {
  const text = Buffer.from(bytes.subarray(at, at + 4096)).toString('latin1');
  const match = text.matchAll(WORD).next().value;
  return match ? { from: at + match.index, to: at + match.index + match[0].length } : { from: at, to: at };
}

/** Words, numbers and punctuation of text files, and slices of all: at most `limit`, spread evenly. */
export function vocabularyOf(files: readonly Uint8Array[], limit = 400): Uint8Array[] {
  const words = new Set(files.flatMap((bytes) => Buffer.from(bytes).toString('latin1').match(WORD) ?? []));
  const spread = [...words].filter((_, i) => i % Math.ceil(words.size / limit) === 0);
  const slices = files.flatMap((bytes) =>
    [0, 0.25, 0.5, 0.75].map((part) => bytes.slice(bytes.length * part, bytes.length * part + 200)),
  );
  return [...spread.map((word) => Uint8Array.from(Buffer.from(word, 'latin1'))), ...slices.slice(0, limit)];
}
