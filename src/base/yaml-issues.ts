import {
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  load,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { z } from 'zod';

/** An error in a hand-written YAML file. */
export interface YamlIssue {
  /** From 1; null for the file as a whole. */
  readonly line: number | null;
  /** `mechanisms.3.strength`; '' for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

/** Longer than any hand-written file; finding the lines of errors takes quadratic time. */
const LONGEST = 1_000_000;

/** The parsed value, or all errors in line order. */
export function readYaml<T>(
  text: string,
  schema: z.ZodType<T>,
): { readonly data: T } | { readonly issues: readonly YamlIssue[] } {
  if (text.length > LONGEST) return { issues: [{ line: null, field: '', message: 'the file is too large' }] };
  try {
    const parsed = schema.safeParse(load(text));
    if (parsed.success) return { data: parsed.data };
    const lines = linesOf(text);
    const issues = parsed.error.issues.flatMap((issue) => {
      // Unknown keys are reported for their parent.
      const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
      return keys.map((key): YamlIssue => {
        const names = [...issue.path.map(String), ...key];
        return { line: lineAt(lines, names), field: names.join('.'), message: issue.message };
      });
    });
    return { issues: issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { issues: [{ line: error.mark ? error.mark.line + 1 : null, field: '', message: error.reason }] };
  }
}

/** `line 12, mechanisms.3.strength: Too big` */
export function issueText({ line, field, message }: YamlIssue): string {
  const place = [line === null ? '' : `line ${line}`, field].filter(Boolean).join(', ');
  return place === '' ? message : `${place}: ${message}`;
}

/** JSON arrays of names as keys, because names may contain any character. */
type Lines = ReadonlyMap<string, number>;

/** For a missing key, the line of its parent. */
function lineAt(lines: Lines, path: readonly string[]): number | null {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(JSON.stringify(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return null;
}

type YamlEvent = ReturnType<typeof parseEvents>[number];

/** The line of every key and item. */
function linesOf(text: string): Lines {
  const lines = new Map<string, number>();
  const events = parseEvents(text, {}).values();
  const next = (): YamlEvent | undefined => events.next().value;
  const addIssue = (path: readonly string[], event: YamlEvent): void => {
    lines.set(JSON.stringify(path), text.slice(0, Math.max(0, offsetOf(event))).split('\n').length);
  };
  const walk = (event: YamlEvent, path: readonly string[]): void => {
    if (event.type === EVENT_SEQUENCE) {
      let index = 0;
      for (let item = next(); item && item.type !== EVENT_POP; item = next()) {
        const own = [...path, String(index++)];
        addIssue(own, item);
        walk(item, own);
      }
    }
    if (event.type !== EVENT_MAPPING) return;
    for (let key = next(); key && key.type !== EVENT_POP; key = next()) {
      const own = [...path, key.type === EVENT_SCALAR ? getScalarValue(text, key) : '?'];
      addIssue(own, key);
      const value = next();
      if (value) walk(value, own);
    }
  };
  next(); // The document itself.
  const root = next();
  if (root) walk(root, []);
  return lines;
}

function offsetOf(event: YamlEvent): number {
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : 0;
}
