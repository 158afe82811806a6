/** The subset of Markdown that reports are written in, as a tree; nothing else is understood, nothing is HTML. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly children: readonly Inline[] }
  | { readonly kind: 'emphasis'; readonly children: readonly Inline[] }
  | { readonly kind: 'anchor'; readonly id: string }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] };

export type Align = 'left' | 'right' | 'center';
export interface ListItem {
  readonly inlines: readonly Inline[];
  readonly children: readonly ListBlock[];
}
export interface ListBlock {
  readonly kind: 'list';
  /** First number of an ordered list; null for bullets. */
  readonly start: number | null;
  readonly items: readonly ListItem[];
}
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly inlines: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'quote'; readonly inlines: readonly Inline[] }
  | ListBlock
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
const FENCE = /^(\s*)```(\S*)/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === '') at++;
    else at = parseBlock(lines, at, blocks);
  }
  return blocks;
}

/** Reads one block at `at` and answers the line after it. */
function parseBlock(lines: readonly string[], at: number, out: Block[]): number {
  const line = lines[at]!;
  const heading = HEADING.exec(line);
  if (heading) {
    const title = heading[2]!;
    out.push({ kind: 'heading', level: heading[1]!.length, id: slug(title), inlines: parseInlines(title) });
    return at + 1;
  }
  const fence = FENCE.exec(line);
  if (fence) return parseFence(lines, at, { indent: fence[1]!.length, language: fence[2]! }, out);
  if (RULE.test(line)) {
    out.push({ kind: 'rule' });
    return at + 1;
  }
  if (line.includes('|') && DIVIDER.test(lines[at + 1] ?? '') && lines[at + 1]!.includes('-'))
    return parseTable(lines, at, out);
  if (ITEM.test(line)) return parseList(lines, at, out);
  if (line.startsWith('>'))
    return parseRun(lines, at, {
      test: (next) => next.startsWith('>'),
      push: (inlines) => out.push({ kind: 'quote', inlines }),
    });
  return parseRun(lines, at, { test: isPlain, push: (inlines) => out.push({ kind: 'paragraph', inlines }) });
}

const isPlain = (line: string): boolean =>
  line.trim() !== '' && !HEADING.test(line) && !FENCE.test(line) && !ITEM.test(line) && !line.startsWith('>');

interface Run {
  readonly test: (line: string) => boolean;
  readonly push: (inlines: readonly Inline[]) => void;
}

function parseRun(lines: readonly string[], from: number, { test, push }: Run): number {
  let at = from;
  const parts: string[] = [];
  do parts.push(lines[at++]!.replace(/^>\s?/, '').trim());
  while (at < lines.length && test(lines[at]!));
  push(parseInlines(parts.join(' ')));
  return at;
}

interface Fence {
  readonly indent: number;
  readonly language: string;
}

function parseFence(lines: readonly string[], from: number, { indent, language }: Fence, out: Block[]): number {
  let at = from + 1;
  while (at < lines.length && !FENCE.test(lines[at]!)) at++;
  const inside = lines
    .slice(from + 1, at)
    .map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line));
  out.push({ kind: 'code', language, text: inside.join('\n') });
  return at + 1;
}

interface FlatItem {
  readonly indent: number;
  readonly number: number | null;
  text: string;
}

function parseList(lines: readonly string[], from: number, out: Block[]): number {
  const items: FlatItem[] = [];
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const item = ITEM.exec(line);
    const last = items.at(-1);
    if (item)
      items.push({
        indent: item[1]!.length,
        number: item[2] === undefined ? null : Number(item[2]),
        text: item[3]!,
      });
    else if (last && /^\s+\S/.test(line) && !FENCE.test(line)) last.text += ` ${line.trim()}`;
    else break;
  }
  out.push(nestItems(items));
  return at;
}

/** Items indented deeper than the first belong to the one before them. */
function nestItems(flat: readonly FlatItem[]): ListBlock {
  const indent = flat[0]?.indent ?? 0;
  const items: ListItem[] = [];
  for (let at = 0; at < flat.length; ) {
    let end = at + 1;
    while (end < flat.length && flat[end]!.indent > indent) end++;
    const inner = flat.slice(at + 1, end);
    items.push({
      inlines: parseInlines(flat[at]!.text),
      children: inner.length > 0 ? [nestItems(inner)] : [],
    });
    at = end;
  }
  return { kind: 'list', start: flat[0]?.number ?? null, items };
}

function splitCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

function parseTable(lines: readonly string[], from: number, out: Block[]): number {
  const align = splitCells(lines[from + 1]!).map((cell): Align => {
    if (!cell.endsWith(':')) return 'left';
    return cell.startsWith(':') ? 'center' : 'right';
  });
  const rows: (readonly Inline[])[][] = [];
  let at = from + 2;
  while (at < lines.length && lines[at]!.includes('|')) rows.push(splitCells(lines[at++]!).map(parseInlines));
  out.push({ kind: 'table', align, head: splitCells(lines[from]!).map(parseInlines), rows });
  return at;
}

export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

const INLINE =
  /`([^`]+)`|<a id="([^"<>]*)"><\/a>|\*\*(.+?)\*\*|\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)|(?<![\w*])\*(?!\s)([^*]+?)\*(?!\w)|(?<!\w)_(?!\s)([^_]+?)_(?!\w)|\\([\\`*_{}[\]()#+\-.!|<>])/g;

export function parseInlines(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  const plain = (until: number) => {
    if (until > from) pushText(parts, text.slice(from, until));
  };
  for (const match of text.matchAll(INLINE)) {
    plain(match.index);
    from = match.index + match[0].length;
    const [, code, anchor, strong, label, href, star, underscore, escaped] = match;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (anchor !== undefined) parts.push({ kind: 'anchor', id: anchor });
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
