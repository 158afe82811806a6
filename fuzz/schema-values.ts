import fc from 'fast-check';
import type { z } from 'zod';

/** Texts that break what puts them into SQL, paths, patterns, pages or terminals. */
const hostileTexts = [
  '',
  ' ',
  "'; drop table span; --",
  '"',
  '\\',
  '../../etc/passwd',
  '%',
  '(((((',
  '[a-',
  '{ }',
  '{{',
  '\u202e\u2066x',
  '\u001b[2J',
  '\u0000',
  '__proto__',
  'constructor',
  'NaN',
  '1e999',
  '9223372036854775808',
  'x'.repeat(5000),
  '\ud800',
];
const extremes = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n, 10n ** 30n];

/** @param words what the case under test calls its things, so that questions find something */
export function valuesOf(schema: z.ZodType, words: readonly string[], depth = 0): fc.Arbitrary<unknown> {
  const inner = (one: z.ZodType): fc.Arbitrary<unknown> => valuesOf(one, words, depth + 1);
  const def = schema.def as unknown as Definition;
  switch (def.type) {
    case 'object':
      return fc.record(Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, one]) => [name, inner(one)])));
    case 'string':
      return fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...words) },
        { weight: 2, arbitrary: fc.constantFrom(...hostileTexts) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
      );
    case 'number':
    case 'int':
      return fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer(), fc.double(), fc.constantFrom(0, -1, 1e308, -0));
    case 'bigint':
      return fc.oneof(
        fc.bigInt({ min: 1_700_000_000n, max: 1_900_000_000n }).map((s) => s * 1_000_000_000n),
        fc.constantFrom(...extremes),
      );
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'array':
      return fc.array(inner(def.element!), { maxLength: depth > 3 ? 2 : 6 });
    case 'record':
      return fc.dictionary(fc.constantFrom(...words, ...hostileTexts), inner(def.valueType!), {
        maxKeys: 4,
      });
    case 'tuple':
      return fc.tuple(...(def.items ?? []).map(inner));
    case 'union':
      return fc.oneof(...(def.options ?? []).map(inner));
    case 'nullable':
      return fc.option(inner(def.innerType!));
    case 'optional':
    case 'default':
    case 'prefault':
      return fc.option(inner(def.innerType!), { nil: undefined });
    case 'pipe':
      return inner(def.in!);
    case 'readonly':
      return inner(def.innerType!);
    default:
      // Bytes, and whatever a schema checks by itself.
      return fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.anything({ maxDepth: 2 }));
  }
}

/** What the library keeps of a schema, as far as values are made of it. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly items?: readonly z.ZodType[];
  readonly options?: readonly z.ZodType[];
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
}
