const PAIR = /([A-Za-z_][\w.]*)\s*=\s*"((?:[^"\\]|\\.)*)"/g;
const SELECTOR = /^([A-Za-z_:][\w:.]*)?\s*\{(.*)\}$/s;

/** `name{label="value"}` or `{label="value"}`, as query tools call a series; undefined: anything else. */
export function readSelector(
  text: string,
): { readonly name: string; readonly labels: ReadonlyMap<string, string> } | undefined {
  const [, written = '', inside] = SELECTOR.exec(text.trim()) ?? [];
  if (inside === undefined) return undefined;
  const labels = new Map([...inside.matchAll(PAIR)].map(([, name, value]) => [name!, value!.replace(/\\(.)/g, '$1')]));
  const name = written || (labels.get('__name__') ?? '');
  labels.delete('__name__');
  return { name, labels };
}

/** Labels in one cell: a selector, or the texts of a JSON object; undefined: neither. */
export function readLabels(text: string): ReadonlyMap<string, string> | undefined {
  if (text === '') return new Map();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return new Map(
        Object.entries(value).map(([name, one]) => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
      );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return readSelector(text.startsWith('{') ? text : `{${text}}`)?.labels;
}
