/** A selector of PromQL or LogQL: `name`, `{matchers}` or `name{matchers}`. */
export const SELECTOR = /^\s*(?:[a-zA-Z_:][\w:]*\s*(?:\{[\s\S]*\})?|\{[\s\S]*\})\s*$/;

/** The selector with further matchers. */
export function withMatchers(selector: string, matchers: readonly string[]): string {
  const bare = selector.trim();
  if (matchers.length === 0) return bare;
  if (!bare.endsWith('}')) return `${bare}{${matchers.join(',')}}`;
  const inner = bare.slice(0, -1).trimEnd();
  const joint = inner.endsWith('{') || inner.endsWith(',') ? '' : ',';
  return `${inner}${joint}${matchers.join(',')}}`;
}

/** Whether it names a metric before its matchers. */
export const namesMetric = (selector: string): boolean => !selector.trim().startsWith('{');

/** `label=~"a|b"`, the texts taken literally. */
export function oneOfMatcher(label: string, texts: readonly string[]): string {
  const literal = texts.map((text) => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`));
  return `${label}=~${JSON.stringify(literal.join('|'))}`;
}
