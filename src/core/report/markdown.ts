import { visibleText } from '../../base/visible-text.ts';
import { impactedText } from '../../model/incident/incident.ts';
import type {
  EvidenceItem,
  ReportBlock,
  ReportDocument,
  ReportFigure,
  ReportSection,
} from '../../model/incident/report-document.ts';
import { proseMarkdown } from './prose.ts';
import { escapeMarkdown } from './report-text.ts';

/** How Markdown shows figures: as files beside it, embedded, or described in text only. */
export type FigureForm = 'files' | 'data' | 'words';
/** Folder of the figures, beside the report. */
export const ASSETS = 'report.assets';

const APPENDIX = 'Appendix: evidence';

/** A part of the report: Markdown, or a figure, which HTML and Markdown show in different ways. */
export type Piece = string | ReportFigure;

/** Sections above which a report begins with a table of contents. */
const LONG = 14;

/** The report in Markdown as GitHub and GitLab show it. */
export function renderMarkdown(document: ReportDocument, form: FigureForm = 'words'): string {
  const draft = startDraft(document);
  const pieces = reportPieces(document).map((piece) =>
    typeof piece === 'string' ? piece : figureMarkdown(piece, form, draft),
  );
  // Evidence is quoted as it is: in JSON the escape is the same value.
  return visibleText(`${pieces.join('\n\n')}\n`);
}

/** How the appendix shows a record: on one line, or with a line for each field and the raw record as it is. */
export type RecordForm = 'line' | 'whole';

export function reportPieces(document: ReportDocument, records: RecordForm = 'line'): Piece[] {
  const draft = startDraft(document);
  const isOne = new Set(document.sections.flatMap(({ incident }) => incident ?? [])).size < 2;
  return [
    `# ${escapeMarkdown(document.title)}`,
    ...(document.sections.length > LONG ? [contents(document, isOne)] : []),
    ...document.sections.flatMap((section, at) => [
      ...(isOne ? [] : incidentHeading(document, at)),
      `${section.incident === null || isOne ? '##' : '###'} ${section.title}`,
      ...sectionPieces(section, draft),
    ]),
    ...(document.evidence.length > 0 ? [appendix(document, draft, records)] : []),
  ];
}

/** One line for each incident and for each section of the whole case, or of the only incident; the headings give GitHub and GitLab the targets. */
function contents(document: ReportDocument, isOne: boolean): string {
  const lines = document.sections.flatMap((section, at) => [
    ...(isOne ? [] : incidentTitle(document, at)),
    ...(isOne || section.incident === null ? [section.title] : []),
  ]);
  const titles = [...lines, ...(document.evidence.length > 0 ? [APPENDIX] : [])];
  return titles.map((title) => `- [${escapeMarkdown(title)}](#${headingAnchor(title)})`).join('\n');
}

/** In front of the first section of each incident. */
const incidentHeading = (document: ReportDocument, at: number): string[] =>
  incidentTitle(document, at).map((title) => `## ${escapeMarkdown(title)}`);

function incidentTitle({ sections, incidents }: ReportDocument, at: number): string[] {
  const id = sections[at]?.incident ?? null;
  if (id === null || sections[at - 1]?.incident === id) return [];
  const incident = incidents.find((one) => one.id === id);
  return [`Incident ${id}: ${incident ? impactedText(incident) : ''}`];
}

/** `number`: `[E3](#e3)`, for documents that hold their appendix. `evidence_id`: `[E3](#event:12)`, which the app opens. */
export type CitationTarget = 'number' | 'evidence_id';

/** How a report cites. */
export interface Citing {
  cite(refs: readonly string[]): string;
  /** The fragment that a citation leads to, without `#`. */
  anchor(ref: string): string;
  readonly figures: ReadonlyMap<string, ReportFigure>;
}

/** The fragment that GitHub and GitLab give a heading: lower case, without punctuation, a hyphen for each space. */
const headingAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** An evidence id as a fragment: readable where possible; a parenthesis would end the link. */
export const anchorOf = (ref: string): string =>
  encodeURIComponent(ref)
    .replaceAll('%3A', ':')
    .replaceAll('%40', '@')
    .replaceAll('%2F', '/')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');

export function startDraft(
  { evidence, figures }: Pick<ReportDocument, 'evidence' | 'figures'>,
  target: CitationTarget = 'number',
): Citing {
  let next = 1;
  const numbers = new Map(
    evidence.map(({ ref }) => [ref, ref.startsWith('source:') ? `S${ref.slice('source:'.length)}` : `E${next++}`]),
  );
  const anchor = (ref: string): string =>
    (target === 'number' ? numbers.get(ref)?.toLowerCase() : undefined) ?? anchorOf(ref);
  return {
    cite: (refs) => refs.map((ref) => `[${numbers.get(ref) ?? escapeMarkdown(ref)}](#${anchor(ref)})`).join(' '),
    anchor,
    figures: new Map(figures.map((figure) => [figure.id, figure])),
  };
}

/** The body of a section: the investigator's words, what changed under them, then the facts. */
export function sectionPieces({ prose, blocks }: ReportSection, draft: Citing): Piece[] {
  const pieces = blocks.flatMap((block): Piece[] => {
    if (block.kind !== 'figure') return [blockMarkdown(block, draft)];
    const figure = draft.figures.get(block.figure);
    return figure ? [figure] : [];
  });
  if (!prose) return pieces;
  return [
    proseMarkdown(prose.text, draft.anchor),
    ...(prose.conflict ? [conflictMarkdown(prose.conflict)] : []),
    ...pieces,
  ];
}

function conflictMarkdown({ was, now }: NonNullable<NonNullable<ReportSection['prose']>['conflict']>): string {
  const lines = [
    '> **The facts below changed after this passage was written.**',
    ...was.map((one) => `> Was: ${escapeMarkdown(one)}`),
    ...now.map((one) => `> Now: ${escapeMarkdown(one)}`),
  ];
  return lines.join('\n>\n');
}

function blockMarkdown(block: Exclude<ReportBlock, { kind: 'figure' }>, { cite }: Citing): string {
  const cited = (refs: readonly string[]): string => (refs.length === 0 ? '' : ` ${cite(refs)}`);
  switch (block.kind) {
    case 'sentences':
      return block.facts.map(({ lead, text, refs }) => `${bold(lead)}${escapeMarkdown(text)}${cited(refs)}`).join(' ');
    case 'list':
      return block.facts
        .map(({ lead, text, refs, details }, at) => {
          const mark = block.ordered ? `${at + 1}.` : '-';
          const indent = ' '.repeat(mark.length + 1);
          const own = details.map((one) => `\n${indent}- ${escapeMarkdown(one.text)}${cited(one.refs)}`).join('');
          return `${mark} ${bold(lead)}${escapeMarkdown(text)}${cited(refs)}${own}`;
        })
        .join('\n');
    case 'table': {
      const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
      const isCited = block.rows.some(({ refs }) => refs.length > 0);
      const head = [...block.head, ...(isCited ? ['Evidence'] : [])];
      const rows = block.rows.map(({ cells, refs }) =>
        row([...cells.map(escapeMarkdown), ...(isCited ? [cite(refs)] : [])]),
      );
      return [row(head), row(head.map(() => '---')), ...rows].join('\n');
    }
    case 'remark':
      return escapeMarkdown(block.text);
  }
}

/** A space within the stars would keep them from being any. */
function bold(lead: string): string {
  if (lead === '') return '';
  const words = lead.trimEnd();
  return `**${escapeMarkdown(words)}**${lead.slice(words.length)}`;
}

export function figureMarkdown(
  { id, title, description, refs, svg }: ReportFigure,
  form: FigureForm,
  { cite }: Citing,
): string {
  const words = `*${escapeMarkdown(title)}.* ${escapeMarkdown(description)} ${cite(refs)}`.trimEnd();
  if (form === 'words') return words;
  const alternative = escapeMarkdown(title);
  const source = form === 'files' ? `${ASSETS}/${id}.svg` : `data:image/svg+xml,${encodeSvg(svg)}`;
  return `![${alternative}](${source})\n\n${words}`;
}

/** Percent-encoded, so that nothing in it ends a link or an attribute. */
const encodeSvg = (svg: string): string =>
  encodeURIComponent(svg).replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29');

function appendix({ evidence }: ReportDocument, draft: Citing, form: RecordForm): string {
  return `## ${APPENDIX}\n\n${evidence.map((item) => evidenceItem(item, draft, form)).join('\n')}`;
}

function evidenceItem(item: EvidenceItem, { cite, anchor }: Citing, form: RecordForm): string {
  const { ref, title, time, source } = item;
  const when = time === null ? '' : `${time}, `;
  const body = form === 'line' ? onOneLine(item) : inWhole(item);
  const from = escapeMarkdown(source ?? 'this case');
  return `- <a id="${anchor(ref)}"></a>**${cite([ref])}** \`${ref.replaceAll('`', "'")}\`: ${when}${escapeMarkdown(title)}; source: ${from}${body}`;
}

/** A record without raw text was derived: its fields are all that can be checked. */
function inWhole({ fields, raw }: EvidenceItem): string {
  if (raw !== '') return `\n\n  \`\`\`json\n${indent(raw)}\n  \`\`\``;
  return fields.map(({ name, value }) => `\n  - ${escapeMarkdown(name)}: ${escapeMarkdown(value)}`).join('');
}

/** A record of a hundred lines hides the hundred records behind it. */
function onOneLine({ fields, raw }: EvidenceItem): string {
  if (raw !== '') return `: \`${compact(raw).replaceAll('`', "'")}\``;
  if (fields.length === 0) return '';
  return `: ${fields.map(({ name, value }) => `${escapeMarkdown(name)} ${escapeMarkdown(value)}`).join('; ')}`;
}

/** Line ends and indents are spaces: within strings JSON has none. */
const compact = (raw: string): string => raw.trim().replaceAll(/\s*\n\s*/g, ' ');

/** Indented into the list item; a fence inside the record must not end ours. */
const indent = (text: string): string =>
  text
    .replaceAll('```', "'''")
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
