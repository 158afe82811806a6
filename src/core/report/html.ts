import { type Block, type Inline, type ListBlock, parseMarkdown } from '../../base/markdown.ts';

/**
 * The markdown report as one HTML file that needs nothing else: no script, no network, readable in any browser and
 * on paper. Built from the parsed tree, so whatever stood in a recording is text here too.
 */
export function renderHtml(title: string, markdown: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${parseMarkdown(markdown).map(block).join('\n')}
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark }
body { font: 14px/20px Inter, system-ui, sans-serif; max-width: 960px; margin: 32px auto; padding: 0 16px }
h1, h2, h3, h4 { line-height: 1.3; margin: 1.4em 0 .4em }
h2 { border-bottom: 1px solid #8886; padding-bottom: 4px }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #8884; padding: 4px 12px 4px 0; text-align: left; vertical-align: top }
pre, code { font: 12px/16px "IBM Plex Mono", ui-monospace, monospace }
pre { background: #8882; border-radius: 4px; padding: 8px; overflow-x: auto; white-space: pre-wrap }
li { margin: 2px 0 }
@media print { body { max-width: none; margin: 0 } a { color: inherit } }
`;

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function block(given: Block): string {
  switch (given.kind) {
    case 'heading':
      return `<h${given.level} id="${escapeHtml(given.id)}">${inlines(given.inlines)}</h${given.level}>`;
    case 'paragraph':
      return `<p>${inlines(given.inlines)}</p>`;
    case 'quote':
      return `<blockquote>${inlines(given.inlines)}</blockquote>`;
    case 'code':
      return `<pre>${escapeHtml(given.text)}</pre>`;
    case 'rule':
      return '<hr>';
    case 'list':
      return list(given);
    case 'table': {
      const row = (cells: readonly (readonly Inline[])[], tag: 'th' | 'td'): string =>
        `<tr>${cells.map((cell) => `<${tag}>${inlines(cell)}</${tag}>`).join('')}</tr>`;
      const body = given.rows.map((cells) => row(cells, 'td')).join('\n');
      return `<table><thead>${row(given.head, 'th')}</thead><tbody>\n${body}\n</tbody></table>`;
    }
  }
}

function list({ start, items }: ListBlock): string {
  const tag = start === null ? 'ul' : 'ol';
  const first = start === null || start === 1 ? '' : ` start="${start}"`;
  return `<${tag}${first}>${items.map((item) => `<li>${inlines(item.inlines)}${item.children.map(list).join('')}</li>`).join('')}</${tag}>`;
}

const inlines = (parts: readonly Inline[]): string => parts.map(inline).join('');

function inline(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return escapeHtml(part.text);
    case 'code':
      return `<code>${escapeHtml(part.text)}</code>`;
    case 'strong':
      return `<strong>${inlines(part.children)}</strong>`;
    case 'emphasis':
      return `<em>${inlines(part.children)}</em>`;
    case 'anchor':
      return `<span id="${escapeHtml(part.id)}"></span>`;
    case 'link':
      // Only places inside the document: a report leads nowhere else.
      return part.href.startsWith('#')
        ? `<a href="${escapeHtml(part.href)}">${inlines(part.children)}</a>`
        : inlines(part.children);
  }
}
