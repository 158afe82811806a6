import { isDeepStrictEqual } from 'node:util';
import { dump, load } from 'js-yaml';
import type { PlannedFeed } from '../../../model/storage/feed.ts';
import { type YamlEntry, type YamlList, type YamlMap, type YamlNode, yamlNodes } from './yaml-nodes.ts';

type Group = Readonly<Record<string, unknown>>;

/**
 * Replaces the feeds in the text of a plan; comments, order and all other text stay. Whether the result has the wanted
 * feeds is for the caller to check: anchors, for one, change more than one place.
 *
 * @returns null if the text has no feeds; throws where it cannot be edited
 */
export function withFeeds(text: string, feeds: readonly PlannedFeed[]): string | null {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const source = text.endsWith('\n') ? text : text + newline;
  const plan: unknown = load(source);
  const root = yamlNodes(source);
  const list = root.kind === 'map' ? root.entries.find(({ key }) => key === 'feeds') : undefined;
  if (!list || !isGroup(plan)) return null;
  const editor = new YamlEditor(source, newline);
  editor.change(list.value, plan['feeds'], structuredClone(feeds));
  return editor.changed ? editor.result() : text;
}

/** Collects replacements of ranges of a YAML text, so that the value becomes another one. */
class YamlEditor {
  private readonly text: string;
  private readonly newline: string;
  private readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];

  constructor(text: string, newline: string) {
    this.text = text;
    this.newline = newline;
  }

  get changed(): boolean {
    return this.edits.length > 0;
  }

  result(): string {
    let [result, done] = ['', 0];
    for (const { end, start, text } of this.edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      result += this.text.slice(done, Math.max(done, start)) + text;
      done = Math.max(done, end);
    }
    return result + this.text.slice(done);
  }

  change(node: YamlNode, before: unknown, after: unknown): void {
    if (isDeepStrictEqual(before, after)) return;
    if (node.kind === 'map' && isGroup(before) && isGroup(after)) this.changeMap(node, before, after);
    else if (node.kind === 'list' && Array.isArray(before) && Array.isArray(after))
      this.changeList(node, before, after);
    else this.replace(node, after);
  }

  private changeMap(node: YamlMap, before: Group, after: Group): void {
    const stays = node.entries.map(({ key }) => key in after);
    if (!stays.includes(true)) return this.replace(node, after);
    for (const { key, value } of node.entries) if (key in after) this.change(value, before[key], after[key]);
    this.remove(node, stays);
    const added = Object.entries(after).filter(([key]) => !(key in before));
    if (added.length > 0) this.add(node, node.entries.length, Object.fromEntries(added));
  }

  /** Equal items at the start and the end stay; between them each item replaces one. */
  private changeList(node: YamlList, before: readonly unknown[], after: readonly unknown[]): void {
    if (after.length === 0) return this.replace(node, after);
    const isSame = (old: number, now: number): boolean => isDeepStrictEqual(before[old], after[now]);
    const most = Math.min(before.length, after.length);
    let first = 0;
    while (first < most && isSame(first, first)) first++;
    let last = 0;
    while (last < most - first && isSame(before.length - 1 - last, after.length - 1 - last)) last++;
    const [oldEnd, newEnd] = [before.length - last, after.length - last];
    const paired = Math.min(oldEnd, newEnd);
    for (let at = first; at < paired; at++) this.change(node.entries[at]!.value, before[at], after[at]);
    this.remove(
      node,
      before.map((_, at) => at < paired || at >= oldEnd),
    );
    if (paired < newEnd) this.add(node, paired, after.slice(paired, newEnd));
  }

  private replace(node: YamlNode, after: unknown): void {
    const { end, from, start } = node;
    if (node.kind === 'leaf' || node.flow) return this.put(start, end, `${start === from ? ' ' : ''}${inline(after)}`);
    if (node.marked) throw new Error('an anchored collection is replaced');
    if (!this.text.slice(from, start).includes('\n')) return this.put(start, end, inline(after));
    // The new value stands before a comment behind the key.
    this.put(from, from, ` ${inline(after)}`);
    this.put(this.lineStart(start), this.below(end, this.column(start)), '');
  }

  private remove(node: YamlMap | YamlList, stays: readonly boolean[]): void {
    const { entries } = node;
    const kept = stays.indexOf(true);
    for (const [at, { at: start, value }] of entries.entries()) {
      if (stays[at]) continue;
      const next = entries[at + 1];
      if (!node.flow) this.removeLines(entries, at, kept);
      else if (at > kept) this.put(entries[at - 1]!.value.end, value.end, '');
      else this.put(start, next ? next.at : value.end, '');
    }
  }

  /** @param kept the first entry that stays */
  private removeLines(entries: readonly YamlEntry[], at: number, kept: number): void {
    const { at: start, value } = entries[at]!;
    const column = this.column(start);
    const end = this.below(value.end, column);
    const line = this.lineStart(start);
    if (this.text.slice(line, start).trim() === '') return this.put(this.above(line, column), end, '');
    // A key behind a dash: the next one takes its place, unless a comment is between them.
    const next = entries[kept]!.at;
    const isFree = this.text.slice(this.below(entries[kept - 1]!.value.end, column), next).trim() === '';
    if (isFree) this.put(start, next, '');
    else this.put(this.text.slice(0, start).trimEnd().length, end - this.newline.length, '');
  }

  /** Adds pairs or items before the entry at a position. */
  private add(node: YamlMap | YamlList, at: number, added: Group | readonly unknown[]): void {
    const { entries, flow } = node;
    const [before, next] = [entries[at - 1], entries[at]];
    if (flow) {
      const text = inline(added).slice(1, -1);
      if (before) this.put(before.value.end, before.value.end, `, ${text}`);
      else if (next) this.put(next.at, next.at, `${text}, `);
      else this.put(node.end - 1, node.end - 1, text);
      return;
    }
    const column = this.column(entries[0]!.at);
    const line = this.lineStart(entries[0]!.at);
    const place = before ? this.below(before.value.end, column) : this.above(line, column);
    if (!before && this.text.slice(line, entries[0]!.at).trim() !== '') throw new Error('a list begins in a line');
    const lines = dump(added, { lineWidth: -1 }).trimEnd().split('\n');
    const indented = lines.map((text) => (text === '' ? '' : ' '.repeat(column) + text) + this.newline);
    this.put(place, place, indented.join(''));
  }

  private put(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text });
  }

  private lineStart(position: number): number {
    return this.text.lastIndexOf('\n', position - 1) + 1;
  }

  private column(position: number): number {
    return position - this.lineStart(position);
  }

  /** Where the comments begin that stand directly above an entry, in its column. */
  private above(lineStart: number, column: number): number {
    let found = lineStart;
    for (let line = found; line > 0; found = line) {
      line = this.lineStart(line - 1);
      if (this.text.slice(line, found).search(/\S/) !== column || this.text[line + column] !== '#') break;
    }
    return found;
  }

  /** Where the line after an entry begins, and after the comments below it that are indented deeper than the entry. */
  private below(end: number, column: number): number {
    let found = this.text.indexOf('\n', end) + 1;
    for (let line = found; line < this.text.length; ) {
      const next = this.text.indexOf('\n', line) + 1;
      const indent = this.text.slice(line, next).search(/\S/);
      if (indent >= 0 && (indent <= column || this.text[line + indent] !== '#')) break;
      if (indent >= 0) found = next;
      line = next;
    }
    return found;
  }
}

/** On one line, whatever surrounds it. */
const inline = (value: unknown): string => dump([value], { flowLevel: 0, lineWidth: -1 }).trim().slice(1, -1);

const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
