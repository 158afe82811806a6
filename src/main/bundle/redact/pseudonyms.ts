import { NameMatcher } from './name-matcher.ts';
import type { Rules, Treatment } from './rules.ts';

export interface KnownName {
  readonly kind: string;
  readonly name: string;
}

/** Numbers and what is shorter name nobody, and stand everywhere. */
const isIdentifying = (name: string): boolean => name.length > 2 && /[\p{L}]/u.test(name);

const REMOVED = '(removed)';

/**
 * One pseudonym for each name everywhere, also within other names: `node-3/GPU-0` becomes `node-x1/GPU-0` if node-3 is an
 * entity. Pseudonyms sort like the names, so that results that depend on the order of names do not change.
 */
export class Pseudonyms {
  /** Lower case, because host names are written in both. */
  private readonly assigned = new Map<string, string>();
  private readonly found = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly matcher: NameMatcher;
  private readonly names: readonly string[];
  private readonly rules: Rules;

  constructor(entities: readonly KnownName[], rules: Rules) {
    this.rules = rules;
    const words = rules.words.map((name) => ({ kind: 'word', name }));
    const all = [...entities.filter(({ name }) => isIdentifying(name)), ...words]
      .filter(({ name }) => !rules.keep.has(name.toLowerCase()))
      .sort((one, other) => compare(one.kind, other.kind) || compare(one.name, other.name));
    const originals = new Set(all.map(({ name }) => name.toLowerCase()));
    const digits = String(all.length).length;
    for (const { kind, name } of all) {
      const key = name.toLowerCase();
      if (this.assigned.has(key) || isComposed(key, originals)) continue;
      this.assigned.set(key, this.fresh(kind, digits, originals));
    }
    this.names = [...this.assigned.keys()];
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
      result += text.slice(at, found[i]) + (this.assigned.get(this.names[found[i + 2]!]!) as string);
      at = found[i + 1]!;
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
    if (this.rules.attributes.size === 0 && !text.includes('\\') && !this.touches(text)) return text;
    try {
      return JSON.stringify(parseExactly(text, (key, value, source) => this.treatValue(key, value, source)));
    } catch {
      return this.replace(text);
    }
  }

  private touches(text: string): boolean {
    return this.matcher.find(text) !== null || this.rules.patterns.some(([, pattern]) => text.search(pattern) >= 0);
  }

  /** Names in keys as well; what was a number and is named by a rule becomes a text. */
  private treatValue(key: string, value: unknown, source: string | undefined): unknown {
    const treatment = this.rules.attributes.get(key) ?? 'keep';
    if (typeof value === 'string') return this.treat(value, treatment);
    if (treatment !== 'keep') return REMOVED;
    if (typeof value === 'number' && source !== undefined) {
      const replaced = this.replace(source);
      return replaced === source ? value : replaced;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.replace(name), one]));
  }

  /** @returns a function that finds the first original name, or address of any kind, that a text still contains; null: none */
  searcher(): (text: string) => string | null {
    const originals = new NameMatcher([...this.assigned.keys(), ...this.found.keys()]);
    return (text) => {
      const found = originals.find(text);
      if (found) return text.slice(found[0], found[1]);
      for (const pattern of this.rules.addresses)
        for (const [address] of text.matchAll(pattern)) if (!this.rules.keep.has(address.toLowerCase())) return address;
      return null;
    };
  }

  pairs(): { before: string; after: string }[] {
    return [...this.assigned, ...this.found].map(([before, after]) => ({ before, after }));
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Whether a name is one of others with parts behind it, `server/PSU-A`. */
function isComposed(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1))
    if (names.has(name.slice(0, at))) return true;
  return false;
}

interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
const exactJson = JSON as unknown as ExactJson;
const isRawNumber = (value: unknown): boolean => exactJson.isRawJSON(value);

/** A number is handed on as its text: a double would lose digits of a nanosecond. */
function parseExactly(
  text: string,
  treat: (key: string, value: unknown, source: string | undefined) => unknown,
): unknown {
  return exactJson.parse(text, (key, value, { source }) => {
    const treated = treat(key, value, source);
    return typeof treated === 'number' && source !== undefined ? exactJson.rawJSON(source) : treated;
  });
}
