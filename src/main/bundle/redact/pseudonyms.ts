import { NameMatcher } from './name-matcher.ts';
import type { Rules, Treatment } from './rules.ts';

export interface NamedThing {
  readonly kind: string;
  readonly name: string;
}

/** Numbers and what is shorter name nobody, and stand everywhere. */
const isTelling = (name: string): boolean => name.length > 2 && /[\p{L}]/u.test(name);

const REMOVED = '(removed)';

/**
 * One pseudonym for each name wherever it stands, also within other names: `node-3/GPU-0` becomes `node-x1/GPU-0` where
 * node-3 is a thing itself. They sort like the names, so that what depends on an order of names stays as it is.
 */
export class Pseudonyms {
  /** Lower case, because host names are written in both. */
  private readonly given = new Map<string, string>();
  private readonly found = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly matcher: NameMatcher;
  private readonly names: readonly string[];
  private readonly rules: Rules;

  constructor(things: readonly NamedThing[], rules: Rules) {
    this.rules = rules;
    const all = [...things, ...rules.words.map((name) => ({ kind: 'word', name }))]
      .filter(({ name }) => isTelling(name) && !rules.keep.has(name.toLowerCase()))
      .sort((one, other) => compare(one.kind, other.kind) || compare(one.name, other.name));
    const originals = new Set(all.map(({ name }) => name.toLowerCase()));
    const digits = String(all.length).length;
    for (const { kind, name } of all) {
      const key = name.toLowerCase();
      if (this.given.has(key) || isComposed(key, originals)) continue;
      this.given.set(key, this.fresh(kind, digits, originals));
    }
    this.names = [...this.given.keys()];
    this.matcher = new NameMatcher(this.names);
  }

  private fresh(kind: string, digits: number, taken: ReadonlySet<string>): string {
    for (;;) {
      const number = (this.counts.get(kind) ?? 0) + 1;
      this.counts.set(kind, number);
      const pseudonym = `${kind}-x${String(number).padStart(digits, '0')}`;
      if (!taken.has(pseudonym)) return pseudonym;
    }
  }

  /** A text with all names, addresses and words replaced; the same one where there are none. */
  replace(text: string): string {
    let result = this.replaceNames(text);
    for (const [kind, pattern] of this.rules.patterns)
      result = result.replace(pattern, (original) => {
        if (this.rules.keep.has(original.toLowerCase())) return original;
        const known = this.found.get(original.toLowerCase()) ?? this.fresh(kind, 4, new Set());
        this.found.set(original.toLowerCase(), known);
        return known;
      });
    return result;
  }

  private replaceNames(text: string): string {
    const found = this.matcher.find(text);
    if (!found) return text;
    let result = '';
    let at = 0;
    for (let i = 0; i < found.length; i += 3) {
      result += text.slice(at, found[i]) + (this.given.get(this.names[found[i + 2] as number] as string) as string);
      at = found[i + 1] as number;
    }
    return result + text.slice(at);
  }

  treat(text: string, treatment: Treatment): string {
    if (treatment === 'drop') return REMOVED;
    if (treatment === 'keep') return this.replace(text);
    return this.replace(text.replace(new RegExp(treatment.mask, 'g'), (part) => '*'.repeat(Math.min(part.length, 8))));
  }

  /** JSON text: values by their keys, everything else as text. Numbers stay as they are written. */
  treatJson(text: string): string {
    if (this.rules.attributes.size === 0) return this.replace(text);
    try {
      return JSON.stringify(parseExactly(text, (key, value) => this.treatValue(key, value)));
    } catch {
      return this.replace(text);
    }
  }

  private treatValue(key: string, value: unknown): unknown {
    const treatment = this.rules.attributes.get(key);
    if (treatment !== undefined && treatment !== 'keep' && typeof value !== 'string') return REMOVED;
    return typeof value === 'string' ? this.treat(value, treatment ?? 'keep') : value;
  }

  /** What must not be found any more. */
  originals(): string[] {
    return [...this.given.keys(), ...this.found.keys()];
  }

  pairs(): { before: string; after: string }[] {
    return [...this.given, ...this.found].map(([before, after]) => ({ before, after }));
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Whether a name is one of others with parts behind it, `server/PSU-A`. */
function isComposed(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1))
    if (names.has(name.slice(0, at))) return true;
  return false;
}

type WithSource = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** A number is handed on as its text: a double would lose digits of a nanosecond. */
function parseExactly(text: string, treat: (key: string, value: unknown) => unknown): unknown {
  const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
  const parse = JSON.parse as (text: string, reviver: WithSource) => unknown;
  return parse(text, (key, value, { source }) => {
    const treated = treat(key, value);
    return typeof treated === 'number' && source !== undefined ? rawJson(source) : treated;
  });
}
