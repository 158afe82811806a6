import { visibleText } from '../../base/visible-text.ts';

/** `[text](#event:12)`: how the investigator cites. */
const CITATION = /\]\(#([a-z]+:[^\s)]+)\)/g;

/** Evidence ids that the investigator's own text cites. */
export function citedInProse(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap((match) => decoded(match[1]!) ?? []);
}

function decoded(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}

/**
 * The investigator's Markdown as it goes into the report. A case may come from a stranger: nothing in it is HTML or an
 * image, its headings stay below those of the report, and a fence that was left open ends with the passage.
 * @param anchor where a cited evidence id leads to in this document
 */
export function proseMarkdown(text: string, anchor: (ref: string) => string): string {
  const safe = visibleText(text)
    .replaceAll(CITATION, (_, ref: string) => `](#${anchor(decoded(ref) ?? ref)})`)
    .replaceAll('![', '!\\[')
    .replaceAll('<', '\\<')
    .replace(/^(#{1,4}) /gm, '#### ')
    .trim();
  const fences = safe.match(/^\s*```/gm)?.length ?? 0;
  return fences % 2 === 1 ? `${safe}\n\`\`\`` : safe;
}
