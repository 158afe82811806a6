import { DESKTOP_LINK_MESSAGE } from '../../model/contract/index.ts';
import { readAppLink } from './security.ts';

/** The page of a window, as far as a link needs it. */
export interface LinkedPage {
  postMessage(channel: string, message: unknown): void;
}

export interface LinkInbox {
  /** A link as the system handed it over; null: there was none. */
  take(link: string | null): void;
  /** This page listens from now on. */
  connected(page: LinkedPage): void;
}

/**
 * Checks links and hands them to a page that listens; until there is one the newest waits. A page learns of a refused link, too: who
 * clicked it must not wait for something to happen.
 */
export function createLinkInbox(page: () => LinkedPage | undefined, onRefused: () => void): LinkInbox {
  const listening = new WeakSet<LinkedPage>();
  let waiting: { readonly place: string | null } | null = null;
  const deliver = (): void => {
    const target = page();
    if (waiting === null || !target || !listening.has(target)) return;
    target.postMessage(DESKTOP_LINK_MESSAGE, waiting.place);
    waiting = null;
  };
  return {
    take: (link) => {
      if (link === null) return;
      waiting = { place: readAppLink(link) };
      if (waiting.place === null) onRefused();
      deliver();
    },
    connected: (target) => {
      listening.add(target);
      deliver();
    },
  };
}
