import { type Block, type Inline, type ListBlock, parseMarkdown } from '../../base/markdown.ts';
import { visibleText } from '../../base/visible-text.ts';
import type { EvidenceItem, ReportDocument } from '../../model/incident/report-document.ts';
import { type Citing, type Piece, reportPieces, startDraft } from './markdown.ts';
import { fillTemplate } from './template.ts';

/**
 * The report as one HTML file that needs nothing else: no script, no network, readable in any browser and on paper. What
 * a citation stands for is shown where it is hovered or has the focus. Built from the parsed tree, so whatever stood in a
 * recording is text here too. @throws ProblemError template.unknown_block
 */
export function renderHtml(document: ReportDocument, template: string | null = null): string {
  const { title } = document;
  const pieces: readonly Piece[] =
    template === null ? reportPieces(document, 'whole') : [fillTemplate(template, document, 'words')];
  const page = new Page(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${pieces.map((piece) => (typeof piece === 'string' ? page.blocks(piece) : page.figure(piece))).join('\n')}
</main>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark }
body { font: 14px/20px Inter, system-ui, sans-serif; max-width: 960px; margin: 32px auto; padding: 0 16px }
h1, h2, h3, h4 { line-height: 1.3; margin: 1.4em 0 .4em }
h2 { border-bottom: 1px solid #8886; padding-bottom: 4px }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { border-bottom: 1px solid #8884; padding: 4px 12px 4px 0; text-align: left; vertical-align: top }
pre, code { font: 12px/16px "IBM Plex Mono", ui-monospace, monospace }
pre { background: #8882; border-radius: 4px; padding: 8px; overflow-x: auto; white-space: pre-wrap }
li { margin: 2px 0 }
time { white-space: nowrap }
@media print { body { max-width: none; margin: 0 } a { color: inherit } }
figure { margin: 16px 0; break-inside: avoid }
figure svg { max-width: 100%; height: auto; border: 1px solid #8884; border-radius: 4px }
figcaption { color: #5c6672; font-size: 12px }
blockquote { margin-inline: 0; padding-left: 12px; border-left: 3px solid #c02626 }
.cite { position: relative; white-space: nowrap }
.cite [role=tooltip] { display: none; position: absolute; z-index: 1; left: 0; top: 1.4em; width: max-content; max-width: 360px;
  white-space: normal; padding: 6px 8px; border: 1px solid #888; border-radius: 4px; background: Canvas; color: CanvasText; font-size: 12px }
.cite:hover [role=tooltip], .cite:focus-within [role=tooltip] { display: block }
table .cite [role=tooltip] { left: auto; right: 0 }
a:focus-visible { outline: 2px solid #0a66c2; outline-offset: 1px }
@media (prefers-color-scheme: dark) { figcaption { color: #8b95a3 } a { color: #5aa9ff } }
@media print { .cite [role=tooltip] { display: none !important } }
`;

const escapeHtml = (text: string): string =>
  visibleText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Kept on one line. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z/g;

/** Counts the citations of a page, for each is described by a text of its own. */
class Page {
  /** By the fragment that leads to it. */
  private readonly known: ReadonlyMap<string, EvidenceItem>;
  private readonly citing: Citing;
  private cited = 0;

  constructor(document: ReportDocument) {
    this.citing = startDraft(document);
    this.known = new Map(document.evidence.map((item) => [this.citing.anchor(item.ref), item]));
  }

  blocks(markdown: string): string {
    return parseMarkdown(markdown)
      .map((block) => this.block(block))
      .join('\n');
  }

  figure({ svg, title, description, refs }: Exclude<Piece, string>): string {
    const cited = refs.map((ref, at) => this.link(`#${this.citing.anchor(ref)}`, String(at + 1))).join(' ');
    // Within HTML the elements are known without their namespace.
    const drawn = svg.replace(' xmlns="http://www.w3.org/2000/svg"', '');
    return `<figure>\n${drawn}\n<figcaption><strong>${escapeHtml(title)}.</strong> ${escapeHtml(description)} Drawn from ${cited}</figcaption>\n</figure>`;
  }

  private block(given: Block): string {
    switch (given.kind) {
      case 'heading':
        return `<h${given.level} id="${escapeHtml(given.id)}">${this.inlines(given.inlines)}</h${given.level}>`;
      case 'paragraph':
        return `<p>${this.inlines(given.inlines)}</p>`;
      case 'quote':
        return `<blockquote>${this.inlines(given.inlines)}</blockquote>`;
      case 'code':
        return `<pre>${escapeHtml(given.text)}</pre>`;
      case 'rule':
        return '<hr>';
      case 'list':
        return this.list(given);
      case 'table': {
        const row = (cells: readonly (readonly Inline[])[], tag: 'th' | 'td'): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.inlines(cell)}</${tag}>`).join('')}</tr>`;
        const body = given.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<table><thead>${row(given.head, 'th')}</thead><tbody>\n${body}\n</tbody></table>`;
      }
    }
  }

  private list({ start, items }: ListBlock): string {
    const tag = start === null ? 'ul' : 'ol';
    const first = start === null || start === 1 ? '' : ` start="${start}"`;
    return `<${tag}${first}>${items.map((item) => `<li>${this.inlines(item.inlines)}${item.children.map((child) => this.list(child)).join('')}</li>`).join('')}</${tag}>`;
  }

  private inlines(parts: readonly Inline[]): string {
    return parts.map((part) => this.inline(part)).join('');
  }

  private inline(part: Inline): string {
    switch (part.kind) {
      case 'text':
        return escapeHtml(part.text).replaceAll(INSTANT, '<time>$&</time>');
      case 'code':
        return `<code>${escapeHtml(part.text)}</code>`;
      case 'strong':
        return `<strong>${this.inlines(part.children)}</strong>`;
      case 'emphasis':
        return `<em>${this.inlines(part.children)}</em>`;
      case 'anchor':
        return `<span id="${escapeHtml(part.id)}"></span>`;
      case 'link':
        return this.link(part.href, this.inlines(part.children));
    }
  }

  /** Only places inside the document: a report leads nowhere else. */
  private link(href: string, label: string): string {
    if (!href.startsWith('#')) return label;
    const item = this.known.get(href.slice(1));
    const target = escapeHtml(href);
    if (!item) return `<a href="${target}">${label}</a>`;
    const id = `c${++this.cited}`;
    const when = item.time === null ? '' : `${item.time}: `;
    const recordText = escapeHtml(`${when}${item.title} (${item.source ?? 'this case'})`);
    return `<span class="cite"><a href="${target}" aria-describedby="${id}">${label}</a><span role="tooltip" id="${id}">${recordText}</span></span>`;
  }
}
