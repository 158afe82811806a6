import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from './entity-graph.ts';
import { namedPart } from './named-part.ts';

/**
 * Whether an event is about another feed of its machine than the one that a source supplies. A PSU that lost its input is an
 * effect of its own feed only. The PSU may be a part that the topology feeds; or the event names its feed (`B`, `PSU-B`), and the
 * supplies of the machine differ by just that: `PDU-A-rack-2` and `PDU-B-rack-2`.
 * @returns undefined if the event names no feed: then none is another
 */
export function otherFeeds(event: EventFact, graph: EntityGraph): ((source: number) => boolean) | undefined {
  const { entity } = event;
  const part = namedPart(event, graph);
  const isFedItself = part !== entity && graph.powerSuppliesOf(part).length > 0;
  if (isFedItself) return (source) => graph.isFed(entity, source) && !graph.isFed(part, source);
  const label = feedLabel(event);
  if (label === undefined) return undefined;
  const supplies = graph.powerSuppliesOf(entity);
  const named = supplies.filter((supply) => labelOf(supply, supplies, graph) === label);
  if (named.length === 0) return undefined;
  return (source) =>
    graph.isFed(entity, source) && !named.some((supply) => supply === source || graph.isFed(supply, source));
}

/** The feed that an event names as failed: the letter or number at the end of its name. */
function feedLabel({ details: { feed, supply } }: EventFact): string | undefined {
  const last = tokensOf(feed ?? supply ?? '').at(-1);
  return last !== undefined && last.length <= 2 ? last : undefined;
}

/** What the name of a supply has instead of that of its twin; undefined if the names differ otherwise. */
function labelOf(supply: number, supplies: readonly number[], graph: EntityGraph): string | undefined {
  const mine = tokensOf(graph.node(supply)?.id ?? '');
  for (const other of supplies) {
    const theirs = tokensOf(graph.node(other)?.id ?? '');
    const different = mine.filter((token, i) => token !== theirs[i]);
    if (theirs.length === mine.length && different.length === 1) return different[0];
  }
  return undefined;
}

/** Runs of letters and of digits, in lower case. */
const tokensOf = (name: string): readonly string[] => name.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
