import { showDetails, showView, useCase } from './case-state.ts';
import { showPlace, useFocus } from './focus.ts';
import { known } from './known.ts';
import { messages } from './messages.ts';
import { type LinkedPlace, placeLink, readPlaceLink } from './place-link.ts';
import { copyText, notify } from './toasts.ts';

/** The place that the address names; null: none. */
const routed = (): LinkedPlace | null => readPlaceLink(globalThis.location?.hash ?? '');

let entered: LinkedPlace | null = null;

/** The view that the address named when the page was opened, once: of another case opened later it means nothing. */
export const takeEnteredView = (): string | null => (entered && isOfOpenCase(entered) ? entered.view : null);

/** Shows the place that the address named when the page was opened, once the incidents of the case are known. */
export function showEnteredPlace(): void {
  const place = entered;
  entered = null;
  if (place?.window || place?.selected) showLinked(place);
}

const isOfOpenCase = ({ name }: LinkedPlace): boolean => name === null || name === useCase.getState().name;

/** Goes to what a link names. A link of another case is answered with a notice: its times mean nothing here. */
export function showLinked(place: LinkedPlace): void {
  if (!isOfOpenCase(place)) return notify(messages.linkOfAnother(place.name ?? ''));
  const { window, playhead, selected, entities } = place;
  const view = known('incidents.list')?.find(({ incident }) => incident.id === place.incident);
  showView(place.view);
  showPlace({ window, playhead, selected, entities, view });
  if (selected !== null) showDetails();
}

/** Copies a link to what is on screen: in a browser its address, in the app what its search takes. */
export function copyPlaceLink(): Promise<void> {
  const { name, view } = useCase.getState();
  const { window, playhead, incident, selected, entities } = useFocus.getState();
  const link = placeLink({ view, name, window, playhead, incident, selected, entities });
  const { protocol, origin, pathname } = globalThis.location;
  return copyText(
    `${/^https?:$/.test(protocol) ? `${origin}${pathname}` : 'faultline://open'}${link}`,
    messages.linkName,
  );
}

/** Keeps the view in the address: a reload and a bookmark show it again, and Back of the browser goes to the view before. */
export function followRoute(): void {
  entered = routed();
  let isComing = false;
  window.addEventListener('popstate', () => {
    const place = routed();
    if (place === null || useCase.getState().name === null) return;
    isComing = true;
    if (place.window || place.selected) showLinked(place);
    else showView(place.view);
    isComing = false;
  });
  useCase.subscribe((now, before) => {
    if (now.name === null || isComing || routed()?.view === now.view) return;
    // The first view of a case is no step.
    if (now.caseId === before.caseId && now.view !== before.view) history.pushState(null, '', `#${now.view}`);
    else if (now.phase === 'open' && before.phase !== 'open') history.replaceState(null, '', `#${now.view}`);
  });
}
