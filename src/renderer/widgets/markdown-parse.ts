/** The subset of Markdown that reports are written in, as a tree; nothing else is understood, nothing is HTML. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly children: readonly Inline[] }
  | { readonly kind: 'emphasis'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] };

export type Align = 'left' | 'right' | 'center';
export interface ListItem {
  readonly depth: number;
  readonly inlines: readonly Inline[];
}
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'quote'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly ListItem[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'rule' }
  | {
      readonly kind: 'table';
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const FENCE = /^```(\S*)/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if ((lines[at] as string).trim() === '') at++;
    else at = parseBlock(lines, at, blocks);
  }
  return blocks;
}

/** Reads one block at `at` and answers the line after it. */
function parseBlock(lines: readonly string[], at: number, out: Block[]): number {
  const line = lines[at] as string;
  const heading = HEADING.exec(line);
  if (heading) {
    const title = heading[2] as string;
    out.push({ kind: 'heading', level: (heading[1] as string).length, id: slug(title), inlines: parseInlines(title) });
    return at + 1;
  }
  const fence = FENCE.exec(line);
  if (fence) return parseFence(lines, at, fence[1] as string, out);
  if (RULE.test(line)) {
    out.push({ kind: 'rule' });
    return at + 1;
  }
  if (line.includes('|') && DIVIDER.test(lines[at + 1] ?? '') && (lines[at + 1] as string).includes('-')) return parseTable(lines, at, out);
  if (ITEM.test(line)) return parseList(lines, at, out);
  if (line.startsWith('>')) return parseRun(lines, at, { test: (next) => next.startsWith('>'), push: (inlines) => out.push({ kind: 'quote', inlines }) });
  return parseRun(lines, at, { test: isPlain, push: (inlines) => out.push({ kind: 'paragraph', inlines }) });
}

const isPlain = (line: string): boolean => line.trim() !== '' && !HEADING.test(line) && !FENCE.test(line) && !ITEM.test(line) && !line.startsWith('>');

interface Run {
  readonly test: (line: string) => boolean;
  readonly push: (inlines: readonly Inline[]) => void;
}

function parseRun(lines: readonly string[], from: number, { test, push }: Run): number {
  let at = from;
  const parts: string[] = [];
  do parts.push((lines[at++] as string).replace(/^>\s?/, '').trim());
  while (at < lines.length && test(lines[at] as string));
  push(parseInlines(parts.join(' ')));
  return at;
}

function parseFence(lines: readonly string[], from: number, language: string, out: Block[]): number {
  let at = from + 1;
  while (at < lines.length && !FENCE.test(lines[at] as string)) at++;
  out.push({ kind: 'code', language, text: lines.slice(from + 1, at).join('\n') });
  return at + 1;
}

function parseList(lines: readonly string[], from: number, out: Block[]): number {
  const items: { depth: number; text: string }[] = [];
  let at = from;
  let ordered = false;
  for (; at < lines.length; at++) {
    const line = lines[at] as string;
    const item = ITEM.exec(line);
    const last = items.at(-1);
    if (item) {
      if (items.length === 0) ordered = item[2] !== undefined;
      items.push({ depth: Math.floor((item[1] as string).length / 2), text: item[3] as string });
    } else if (last && /^\s+\S/.test(line)) last.text += ` ${line.trim()}`;
    else break;
  }
  out.push({ kind: 'list', ordered, items: items.map(({ depth, text }) => ({ depth, inlines: parseInlines(text) })) });
  return at;
}

function splitCells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

function parseTable(lines: readonly string[], from: number, out: Block[]): number {
  const align = splitCells(lines[from + 1] as string).map((cell): Align => {
    if (!cell.endsWith(':')) return 'left';
    return cell.startsWith(':') ? 'center' : 'right';
  });
  const rows: (readonly Inline[])[][] = [];
  let at = from + 2;
  while (at < lines.length && (lines[at] as string).includes('|')) rows.push(splitCells(lines[at++] as string).map(parseInlines));
  out.push({ kind: 'table', align, head: splitCells(lines[from] as string).map(parseInlines), rows });
  return at;
}

export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)|(?<![\w*])\*(?!\s)([^*]+?)\*(?!\w)|(?<!\w)_(?!\s)([^_]+?)_(?!\w)|\\([\\`*_{}[\]()#+\-.!|<>])/g;

export function parseInlines(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  const plain = (until: number) => {
    if (until > from) pushText(parts, text.slice(from, until));
  };
  for (const match of text.matchAll(INLINE)) {
    plain(match.index);
    from = match.index + match[0].length;
    const [, code, strong, label, href, star, underscore, escaped] = match;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'strong', children: parseInlines(strong) });
    else if (href !== undefined) parts.push({ kind: 'link', href, children: parseInlines(label ?? '') });
    else if (escaped !== undefined) pushText(parts, escaped);
    else parts.push({ kind: 'emphasis', children: parseInlines(star ?? underscore ?? '') });
  }
  plain(text.length);
  return parts;
}

function pushText(parts: Inline[], text: string): void {
  const last = parts.at(-1);
  if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text };
  else parts.push({ kind: 'text', text });
}
