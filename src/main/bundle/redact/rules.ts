import { load } from 'js-yaml';
import { z } from 'zod';
import { fail } from '../../../model/problem.ts';

const expression = z
  .string()
  .min(1)
  .max(500)
  .refine((source) => isExpression(source), 'is no regular expression');

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

const treatment = z.union([
  /** Names in it are replaced, the rest stays. */
  z.literal('keep'),
  z.literal('drop'),
  /** What this finds becomes stars. */
  z.strictObject({ mask: expression }),
]);
export type Treatment = z.infer<typeof treatment>;

const rulesSchema = z.strictObject({
  /** What the case is called from here on. */
  case: z.string().min(1).max(80).default('redacted'),
  /** Words beyond the names of things that are replaced wherever they stand alone. */
  words: z.array(z.string().min(2).max(200)).max(100_000).default([]),
  /** Names that stay. */
  keep: z.array(z.string().min(1).max(2000)).max(100_000).default([]),
  /** What else is replaced, each thing that one finds by a word of its own; null takes one of the usual away. */
  patterns: z.record(z.string().regex(/^[a-z][a-z0-9]{0,20}$/), expression.nullable()).default({}),
  /** By `table.column`. */
  texts: z.record(z.string().regex(/^[a-z_]+\.[a-z_]+$/), treatment).default({}),
  /** By the key of an attribute. */
  attributes: z.record(z.string().min(1).max(500), treatment).default({}),
});

/** Numbers and letters of addresses; what they find is replaced unless the rules say otherwise. */
const usualPatterns: Readonly<Record<string, string>> = {
  email: '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+',
  mac: '\\b[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}\\b',
  ip: '\\b(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\b',
  ipv6: '\\b(?:[0-9A-Fa-f]{1,4}:){4,7}[0-9A-Fa-f]{1,4}\\b',
};

/** Records as they were found may hold anything, and nothing is concluded from them. */
const usualTexts: Readonly<Record<string, Treatment>> = {
  'event.raw': 'drop',
  'reject.excerpt': 'drop',
  'source.digest': 'drop',
};

export interface Rules {
  readonly case: string;
  readonly words: readonly string[];
  readonly keep: ReadonlySet<string>;
  readonly patterns: readonly (readonly [string, RegExp])[];
  readonly texts: Readonly<Record<string, Treatment>>;
  readonly attributes: ReadonlyMap<string, Treatment>;
}

/** @throws ProblemError redaction.rules with the place of what is wrong */
export function parseRules(text: string): Rules {
  let value: unknown;
  try {
    // No rules at all are the usual ones.
    value = text.replaceAll(/^\s*(#.*)?$/gm, '') === '' ? {} : (load(text) ?? {});
  } catch (error) {
    return fail(
      'redaction.rules',
      `the rules are no YAML: ${(error instanceof Error ? error.message : '').split('\n')[0]}`,
    );
  }
  const parsed = rulesSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail('redaction.rules', `rules: ${issue?.path.join('.') || 'top'}: ${issue?.message}`);
  }
  const { data } = parsed;
  const patterns = Object.entries({ ...usualPatterns, ...data.patterns }).flatMap(([name, source]) =>
    source === null ? [] : [[name, new RegExp(source, 'g')] as const],
  );
  return {
    case: data.case,
    words: data.words,
    keep: new Set(data.keep.map((name) => name.toLowerCase())),
    patterns,
    texts: { ...usualTexts, ...data.texts },
    attributes: new Map(Object.entries(data.attributes)),
  };
}
