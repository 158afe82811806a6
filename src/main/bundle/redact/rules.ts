import { load } from 'js-yaml';
import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import { ESCAPED } from './name-matcher.ts';

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
  /** Words, beside the names of entities, that are replaced as whole words. */
  words: z.array(z.string().min(2).max(200)).max(100_000).default([]),
  /** Names that stay. */
  keep: z.array(z.string().min(1).max(2000)).max(100_000).default([]),
  /** Other texts to replace, as named patterns: each match gets its own pseudonym; null removes a default pattern. */
  patterns: z.record(z.string().regex(/^[a-z][a-z0-9]{0,20}$/), expression.nullable()).default({}),
  /** By `table.column`. */
  texts: z.record(z.string().regex(/^[a-z_]+\.[a-z_]+$/), treatment).default({}),
  /** By the key of an attribute. */
  attributes: z.record(z.string().min(1).max(500), treatment).default({}),
});

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const GROUP = '[0-9a-f]{1,4}';
/** Where nothing of the same characters stands before, except what is an escape: `%2010.1.2.3`, `\\n10.1.2.3`. */
const after = (characters: string) => `(?:(?<!${characters})|(?<=${ESCAPED}))`;

/** Patterns of addresses; matches are replaced unless the rules remove the pattern. */
const defaultPatterns: Readonly<Record<string, string>> = {
  email: "[\\p{L}\\p{N}._%+'-]{1,64}(?:@|%40)[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)*\\.\\p{L}[\\p{L}\\p{N}-]+",
  // Six octets or the eight of InfiniBand, or as switches write them, 001a.2b3c.4d5e.
  mac:
    `${after('[0-9a-f]')}[0-9a-f]{2}(:|-|%3a)(?:[0-9a-f]{2}\\1){4,6}[0-9a-f]{2}(?![0-9a-f])` +
    `|${after('[0-9a-f.]')}(?:[0-9a-f]{4}\\.){2}[0-9a-f]{4}(?![0-9a-f.])`,
  // Also as Amazon names machines, ip-10-0-0-12.
  ip: `${after('\\d')}(?:${OCTET}\\.){3}${OCTET}(?!\\d)|${after('[0-9a-z]')}ip-(?:${OCTET}-){3}${OCTET}(?!\\d)`,
  ipv6:
    `${after('[0-9a-z:]')}(?:(?:${GROUP}:){4,7}${GROUP}|${GROUP}(?::${GROUP}){0,6}::(?:${GROUP}(?::${GROUP}){0,6})?` +
    `|::${GROUP}(?::${GROUP}){0,6})(?![0-9a-z])`,
};

/** Records as they were found may hold anything, and nothing is concluded from them. */
const defaultTreatments: Readonly<Record<string, Treatment>> = {
  'event.raw': 'drop',
  'reject.excerpt': 'drop',
  'source.digest': 'drop',
};

export interface Rules {
  readonly case: string;
  readonly words: readonly string[];
  readonly keep: ReadonlySet<string>;
  readonly patterns: readonly (readonly [string, RegExp])[];
  /** Those of them that find addresses, of which none may be left. */
  readonly addresses: readonly RegExp[];
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
  const addresses = Object.entries(defaultPatterns)
    .filter(([name]) => data.patterns[name] === undefined)
    .map(([name, source]) => [name, new RegExp(source, 'giu')] as const);
  const own = Object.entries(data.patterns).flatMap(([name, source]) =>
    source === null ? [] : [[name, new RegExp(source, 'g')] as const],
  );
  return {
    case: data.case,
    words: data.words,
    keep: new Set(data.keep.map((name) => name.toLowerCase())),
    patterns: [...addresses, ...own],
    addresses: addresses.map(([, pattern]) => pattern),
    texts: { ...defaultTreatments, ...data.texts },
    attributes: new Map(Object.entries(data.attributes)),
  };
}
