import { type Json, objectOf, objectsOf } from '../../sources/redfish/format.ts';
import { statedCount } from './budget.ts';
import type { Answer, Controller } from './controller.ts';
import { isExpanded, nextPage } from './followed-links.ts';
import { createdMs } from './log-times.ts';

const MOST_PAGES = 100;

export interface LogPages {
  /** Entries, or links to them, in log order: of a long log the start and the end, or the newest. */
  readonly members: readonly Json[];
  /** Number of entries in the log, as far as known. */
  readonly total: number;
  readonly bytes: number;
  readonly isOnePage: boolean;
  /** The log had more pages when reading stopped; newer entries may be there. */
  readonly isCut: boolean;
}

interface Wanted {
  /** Most entries to read. */
  readonly most: number;
  /** Most bytes, of all pages together. */
  readonly bytes: number;
}

/**
 * Reads the pages of a log from the first one. If the log is too long and the service supports skipping (DSP0266,
 * ProtocolFeaturesSupported.TopSkipQuery), it jumps to the end: the order is unknown, so the newest may be there.
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

/** Keeps what may be needed: of full entries the newest, of links both ends. */
function thinned(members: readonly Json[], most: number): readonly Json[] {
  if (members.length <= 3 * most) return members;
  if (members.some((one) => !isExpanded(one))) return [...members.slice(0, most), ...members.slice(-most)];
  return [...members].sort((a, b) => createdMs(b) - createdMs(a)).slice(0, most);
}
