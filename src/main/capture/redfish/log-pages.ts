import { type Json, objectOf, objectsOf } from '../../sources/redfish/format.ts';
import { statedCount } from './budget.ts';
import type { Answer, Controller } from './controller.ts';
import { isExpanded, nextPage } from './followed-links.ts';
import { createdMs } from './log-times.ts';

const MOST_PAGES = 100;

export interface LogPages {
  /** Entries, or links to them, in the order of the log; of a long one its beginning and its end, or the newest. */
  readonly members: readonly Json[];
  /** How many the log has, as far as is known. */
  readonly total: number;
  readonly bytes: number;
  readonly isOnePage: boolean;
  /** It went on when reading was given up: newer ones may lie there. */
  readonly isCut: boolean;
}

interface Wanted {
  /** Entries that are wanted of the log. */
  readonly most: number;
  /** Of all pages together. */
  readonly bytes: number;
}

/**
 * The pages of a log from the first on. One that is longer than wanted is left in the middle for its end, where the
 * service can skip (DSP0266, ProtocolFeaturesSupported.TopSkipQuery): nothing says which of both is the newer.
 */
export async function logPages(
  controller: Controller,
  path: string,
  { first, wanted, signal }: { readonly first: Answer; readonly wanted: Wanted; readonly signal: AbortSignal },
): Promise<LogPages> {
  const doc = first.doc ?? {};
  const visited = new Set([path]);
  const stated = statedCount(doc);
  const root = await controller.root(signal);
  const skips = objectOf(root['ProtocolFeaturesSupported'])['TopSkipQuery'] === true && !path.includes('?');
  const end = skips && stated !== undefined && stated > 2 * wanted.most ? stated - wanted.most : undefined;
  let members: readonly Json[] = objectsOf(doc['Members']);
  let [seen, bytes] = [members.length, first.bytes];
  let next = controller.own(nextPage(doc));
  const isOnePage = next === undefined;
  for (let pages = 1; next !== undefined && !visited.has(next); pages++) {
    if (end !== undefined && seen >= wanted.most && !visited.has(skipTo(path, end))) next = skipTo(path, end);
    if (pages >= MOST_PAGES || bytes >= wanted.bytes)
      return { members, total: stated ?? seen, bytes, isOnePage, isCut: true };
    visited.add(next);
    const answer = await controller.get(next, signal);
    const page = answer.doc ?? {};
    const more = objectsOf(page['Members']);
    seen += more.length;
    bytes += answer.bytes;
    members = thinned([...members, ...more], wanted.most);
    next = controller.own(nextPage(page));
  }
  return { members, total: Math.max(stated ?? 0, seen), bytes, isOnePage, isCut: false };
}

const skipTo = (path: string, entries: number): string => `${path}?$skip=${entries}`;

/** No more than may still be wanted: of entries in full the newest, of links both ends. */
function thinned(members: readonly Json[], most: number): readonly Json[] {
  if (members.length <= 3 * most) return members;
  if (members.some((one) => !isExpanded(one))) return [...members.slice(0, most), ...members.slice(-most)];
  return [...members].sort((a, b) => createdMs(b) - createdMs(a)).slice(0, most);
}
