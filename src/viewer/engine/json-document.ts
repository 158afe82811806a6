/** A number of a JSON document as it was written: a double would round what has more than 15 digits. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** How the engine's own functions would print it: whole numbers as they are, others as the shortest text of the double. */
  get plain(): string {
    if (/^-?\d+$/.test(this.text)) return this.text;
    const value = Number(this.text);
    const shortest = String(value).replace('e+', 'e');
    return /^-?\d+$/.test(shortest) ? `${shortest}.0` : shortest;
  }
}

type Json = string | boolean | null | Written | readonly Json[] | { readonly [key: string]: Json };

interface ReviverContext {
  readonly source?: string;
}

/** undefined: this is no JSON. */
function parse(document: string): Json | undefined {
  try {
    const keepNumbers = (_key: string, value: unknown, context?: ReviverContext) =>
      typeof value === 'number' ? new Written(context?.source ?? String(value)) : value;
    return JSON.parse(document, keepNumbers as Parameters<typeof JSON.parse>[1]) as Json;
  } catch {
    return undefined;
  }
}

/** `$.a."b c"[0]` or `/a/b~1c`; a text that begins with neither is one key. null: no path. */
export function pathParts(path: string): readonly (string | number)[] | null {
  if (path.startsWith('/'))
    return path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (!path.startsWith('$')) return [path];
  const parts: (string | number)[] = [];
  const step = /\.(?:"((?:[^"\\]|\\.)*)"|([^.["]+))|\[(\d+)\]/y;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const [, quoted, plain, index] = step.exec(path) ?? [];
    if (index !== undefined) parts.push(Number(index));
    else if (quoted !== undefined) parts.push(quoted.replaceAll(/\\(.)/g, '$1'));
    else if (plain !== undefined) parts.push(plain);
    else return null;
  }
  return parts;
}

function at(document: string | null, path: string | null): Json | undefined {
  const parts = path === null ? null : pathParts(path);
  let found = document === null || parts === null ? undefined : parse(document);
  for (const part of parts ?? []) {
    if (typeof found !== 'object' || found === null || found instanceof Written) return undefined;
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(part)];
    else found = Object.hasOwn(found, part) ? (found as Record<string, Json>)[part] : undefined;
  }
  return found;
}

function print(value: Json): string {
  if (value instanceof Written) return value.plain;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(print).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${print(one)}`)
    .join(',')}}`;
}

const textOf = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : print(value);

/** What SQL's `json_extract_string(document, path)` answers. */
export const jsonText = (document: string | null, path: string | null): string | null => textOf(at(document, path));

/** What SQL's `json_extract(document, path)` answers, as JSON. */
export function jsonPart(document: string | null, path: string | null): string | null {
  const found = at(document, path);
  return found === undefined ? null : print(found);
}

/** What SQL's `json_type(document, path)` answers. */
export function jsonType(document: string | null, path: string | null): string | null {
  const found = at(document, path);
  if (found === undefined) return null;
  if (found === null) return 'NULL';
  if (typeof found === 'string') return 'VARCHAR';
  if (typeof found === 'boolean') return 'BOOLEAN';
  if (Array.isArray(found)) return 'ARRAY';
  if (!(found instanceof Written)) return 'OBJECT';
  if (!/^-?\d+$/.test(found.text)) return 'DOUBLE';
  return found.text.startsWith('-') ? 'BIGINT' : 'UBIGINT';
}

/** How many elements a list has; 0 of what is none. */
export function jsonLength(document: string | null, path: string | null): string | null {
  const found = at(document, path);
  return found === undefined ? null : String(Array.isArray(found) ? found.length : 0);
}

const literal = (text: string | null): string => (text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`);

/** Keys of an object, as text that SQL casts to a list. */
export const jsonKeys = (document: string | null, path: string | null): string | null => listed(at(document, path), 0);

/** Values of an object in the order of its keys, or the elements of a list, each as text. */
export function jsonValues(document: string | null, path: string | null): string | null {
  const found = at(document, path);
  return Array.isArray(found)
    ? `[${(found as readonly Json[]).map((one) => literal(textOf(one))).join(', ')}]`
    : listed(found, 1);
}

function listed(found: Json | undefined, which: 0 | 1): string | null {
  if (typeof found !== 'object' || found === null || Array.isArray(found) || found instanceof Written) return null;
  const members = Object.entries(found).map((member) => literal(which === 0 ? member[0] : textOf(member[1])));
  return `[${members.join(', ')}]`;
}
