import { isDeepStrictEqual } from 'node:util';
import {
  isCollection,
  isMap,
  isNode,
  isSeq,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
  type Document as YamlDocument,
} from 'yaml';
import type { PlannedFeed } from '../../../model/storage/feed.ts';

/**
 * Replaces the feeds in the text of a plan; comments, order and all other text stay.
 *
 * @returns null if the text does not allow that
 */
export function withFeeds(text: string, feeds: readonly PlannedFeed[]): string | null {
  const document = parseDocument(text, { merge: true });
  const list = document.errors.length === 0 && isMap(document.contents) ? document.get('feeds') : null;
  if (!isSeq(list)) return null;
  // Compare values only, not prototypes.
  if (!edit(document, list, structuredClone(feeds))) return text;
  return document.toString({ lineWidth: 0, flowCollectionPadding: text.includes('{ ') });
}

/** Equal feeds at the start and the end stay; between them each feed replaces one. Returns whether anything differs. */
function edit(document: YamlDocument, list: YAMLSeq, feeds: readonly PlannedFeed[]): boolean {
  const before = list.items.map((item) => plainValue(document, item));
  const isSame = (old: number, now: number): boolean => isDeepStrictEqual(before[old], feeds[now]);
  const most = Math.min(before.length, feeds.length);
  let first = 0;
  while (first < most && isSame(first, first)) first++;
  let last = 0;
  while (last < most - first && isSame(before.length - 1 - last, feeds.length - 1 - last)) last++;
  const [oldEnd, newEnd] = [before.length - last, feeds.length - last];
  const paired = Math.min(oldEnd, newEnd);
  for (let at = first; at < paired; at++) change(document, list, at, feeds[at]);
  const added = feeds.slice(paired, newEnd).map((feed) => document.createNode(feed));
  list.items.splice(paired, oldEnd - paired, ...added);
  return first < Math.max(oldEnd, newEnd);
}

/** Inside groups only changed values are replaced; comments stay. */
function change(document: YamlDocument, parent: YAMLMap | YAMLSeq, key: unknown, value: unknown): void {
  const node = parent.get(key, true);
  if (!isMap(node) || !isGroup(value)) {
    const next = isGroup(value) || Array.isArray(value) ? document.createNode(value) : value;
    if (isCollection(next) && isCollection(node))
      Object.assign(next, { comment: node.comment, commentBefore: node.commentBefore, flow: node.flow });
    parent.set(key, next);
    return;
  }
  const before = (plainValue(document, node) ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(before)) if (!(name in value)) node.delete(name);
  for (const [name, next] of Object.entries(value))
    if (!isDeepStrictEqual(before[name], next)) change(document, node, name, next);
}

const plainValue = (document: YamlDocument, item: unknown): unknown => (isNode(item) ? item.toJS(document) : item);

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
