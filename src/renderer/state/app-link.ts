import { DESKTOP_LINK_MESSAGE } from '../../model/contract/wire.ts';
import { openRecent } from './case-lifecycle.ts';
import { useCase } from './case-state.ts';
import { known, load } from './known.ts';
import { followLink, readLink, takeLink } from './link.ts';
import { messages } from './messages.ts';
import { readPlaceLink } from './place-link.ts';
import { showLinked } from './route.ts';
import { notify } from './toasts.ts';

/** Shows what links of the system name (`faultline://...`), which main has checked; `started`: the first case is on screen, or Home. */
export function listenLinks(started: Promise<void>): void {
  window.addEventListener('message', ({ source, data }: MessageEvent<{ type?: unknown; link?: unknown } | null>) => {
    if (source !== window || data?.type !== DESKTOP_LINK_MESSAGE) return;
    const { link } = data;
    void started.then(() => (typeof link === 'string' ? followAppLink(link) : notify(messages.link.refused)));
  });
}

/**
 * Goes to the place of a link; a case that it names is opened from the recent ones where none is open, and offered where another is:
 * nothing outside the window closes a case.
 * @param link `?case=...` or `#view?case=...`
 */
export async function followAppLink(link: string): Promise<void> {
  const wanted = nameIn(link);
  const { name } = useCase.getState();
  if (wanted === null || wanted === name) return name === null ? notify(messages.link.noneOpen) : go(link);
  const recent = await load('case.recent').catch(() => []);
  const [found, ...others] = recent.filter((one) => one.name === wanted);
  if (!found) return notify(messages.link.unknownCase(wanted));
  // One of them would be a guess.
  if (others.length > 0) return notify(messages.link.severalCases(wanted, others.length + 1));
  const open = async (): Promise<void> => {
    await openRecent(found.id);
    if (useCase.getState().name === wanted) await go(link);
  };
  if (name === null) return open();
  notify(messages.link.otherCase(wanted, name), { title: messages.link.open(wanted), run: () => void open() });
}

const nameIn = (link: string): string | null => {
  const place = readPlaceLink(link);
  return place ? place.name : (readLink(link)?.case ?? null);
};

async function go(link: string): Promise<void> {
  // Before they are known, an incident would seem to be gone.
  if (known('incidents.list') === undefined) await load('incidents.list').catch(() => undefined);
  const place = readPlaceLink(link);
  if (place) return showLinked(place);
  takeLink(link);
  followLink(useCase.getState().name);
}
