import { visibleText } from '../../base/visible-text.ts';
import type { ReportDocument } from '../../model/incident/report-document.ts';
import { fail } from '../../model/problem.ts';
import { type FigureForm, figureMarkdown, reportPieces, sectionPieces, startDraft } from './markdown.ts';
import { escapeMarkdown } from './report-text.ts';

const BLOCK = /\{\{\s*([^{}\n]*?)\s*\}\}/g;
/** All sections that a report can have; blocks of absent sections are left empty. */
const known = [
  'title',
  'case',
  'all',
  'appendix',
  'excerpt',
  'incidents',
  'summary',
  'impact',
  'timeline',
  'root_cause',
  'evidence',
  'patterns',
  'ruled_out',
  'not_recorded',
  'contributing',
  'times',
  'went_well',
  'went_badly',
  'lessons',
  'actions',
  'investigator',
  'sources',
  'gaps',
  'questions',
  'unread',
  'method',
];

/**
 * The user's own Markdown with `{{summary}}` and the like filled in. A section of several incidents is repeated for each,
 * under the incident's id. @throws ProblemError template.unknown_block
 */
export function fillTemplate(template: string, document: ReportDocument, form: FigureForm): string {
  const unknown = [...template.matchAll(BLOCK)].find((match) => !known.includes(match[1]!));
  if (unknown)
    return fail('template.unknown_block', `unknown block {{${unknown[1]}}} in the template`, {
      hint: `blocks are ${known.map((name) => `{{${name}}}`).join(', ')}`,
    });
  const filled = template.replaceAll(BLOCK, (_, name: string) => visibleText(blockOf(name, document, form)));
  return filled.endsWith('\n') ? filled : `${filled}\n`;
}

function blockOf(name: string, document: ReportDocument, form: FigureForm): string {
  if (name === 'title') return escapeMarkdown(document.title);
  if (name === 'case') return escapeMarkdown(document.case);
  const draft = startDraft(document);
  const shown = (piece: ReturnType<typeof reportPieces>[number]): string =>
    typeof piece === 'string' ? piece : figureMarkdown(piece, form, draft);
  if (name === 'all') return reportPieces(document).map(shown).join('\n\n');
  if (name === 'appendix') return shown(reportPieces(document).at(-1) ?? '');
  const own = document.sections.filter(({ id }) => id === name);
  return own
    .flatMap((section) => [
      ...(own.length > 1 && section.incident !== null ? [`**${section.incident}**`] : []),
      ...sectionPieces(section, draft).map(shown),
    ])
    .join('\n\n');
}
