import { visibleText } from '../../base/visible-text.ts';

/** `[words](#event:12)`: how the investigator cites. */
const CITATION = /\]\(#([a-z]+:[^\s)]+)\)/g;

/** Evidence ids that the investigator's own words name. */
export function citedInProse(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap((match) => {
    try {
      return [decodeURIComponent(match[1]!)];
    } catch {
      return [];
    }
  });
}

/**
 * The investigator's Markdown as it goes into the report. A case may come from a stranger: nothing in it is HTML or an
 * image, its headings stay below those of the report, and a fence that was left open ends with the passage.
 */
export function proseMarkdown(text: string): string {
  const safe = visibleText(text)
    .replaceAll('![', '!\\[')
    .replaceAll('<', '\\<')
    .replace(/^(#{1,4}) /gm, '#### ')
    .trim();
  const fences = safe.match(/^\s*```/gm)?.length ?? 0;
  return fences % 2 === 1 ? `${safe}\n\`\`\`` : safe;
}
