import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from './entity-graph.ts';

/**
 * The part of a machine that the text of its event names, such as the PSU that lost its input; the machine itself if the text
 * names none, or several. A part is named by its id or by the last piece of it.
 */
export function namedPart({ entity, message }: EventFact, graph: EntityGraph): number {
  if (entity < 0 || message === '') return entity;
  const named = [...graph.partsOf(entity)].filter((key) => {
    const id = graph.node(key)?.id ?? '';
    return isNamed(id, message) || isNamed(id.slice(id.lastIndexOf('/') + 1), message);
  });
  return named.length === 1 ? named[0]! : entity;
}

const LETTER = /[\p{L}\p{N}]/u;

/** Whether a text contains a name as a whole word. */
function isNamed(name: string, text: string): boolean {
  if (name.length < 2) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!LETTER.test(before) && !LETTER.test(after)) return true;
  }
  return false;
}
