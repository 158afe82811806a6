import { messages } from './commands/messages/common.ts';

/** What a source was the first to name, by kind: nothing, or one text such as `first to name: 2 node, 8 pod`. */
export function namedTexts(entities: Readonly<Record<string, number>>): readonly string[] {
  const counts = Object.entries(entities).map(([kind, count]) => `${count} ${kind}`);
  return counts.length > 0 ? [messages.firstToName(counts.join(', '))] : [];
}
