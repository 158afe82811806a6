import { showView, useCase } from './case-state.ts';

/** The view that the address names; null: none. */
function routedView(): string | null {
  const view = decodeURIComponent(globalThis.location?.hash.slice(1) ?? '');
  return /^[a-z]{1,40}$/.test(view) ? view : null;
}

let entered: string | null = null;

/** The view that the address named when the page was opened, once: of another case opened later it means nothing. */
export function takeEnteredView(): string | null {
  const view = entered;
  entered = null;
  return view;
}

/** Keeps the view in the address: a reload and a bookmark show it again, and Back of the browser goes to the view before. */
export function followRoute(): void {
  entered = routedView();
  let isComing = false;
  window.addEventListener('popstate', () => {
    const view = routedView();
    if (view === null || useCase.getState().name === null) return;
    isComing = true;
    showView(view);
    isComing = false;
  });
  useCase.subscribe((now, before) => {
    if (now.name === null || isComing || routedView() === now.view) return;
    // The first view of a case is no step.
    if (now.caseId === before.caseId && now.view !== before.view) history.pushState(null, '', `#${now.view}`);
    else if (now.phase === 'open' && before.phase !== 'open') history.replaceState(null, '', `#${now.view}`);
  });
}
