import { flushSync } from 'react-dom';
import { can } from '../state/abilities.ts';
import { openActionMenu, runByKey } from '../state/action-menu.ts';
import { selectedTarget } from '../state/actions.ts';
import { redo, undo } from '../state/annotations.ts';
import { openPalette, showKeys, showTab, showView, useCase } from '../state/case-state.ts';
import { leaveComparison } from '../state/comparison.ts';
import { openWindow } from '../state/connection.ts';
import { showDifferences } from '../state/difference-request.ts';
import {
  brushFromPlayhead,
  fitWindow,
  goBack,
  goForward,
  movePlayhead,
  panFraction,
  select,
  selectEntity,
  selectIncident,
  setBrush,
  setPlayhead,
  useFocus,
  zoomFraction,
} from '../state/focus.ts';
import { toggleFollowing } from '../state/follow-live.ts';
import { incidentOf } from '../state/known.ts';
import { prefer, usePreferences } from '../state/preferences.ts';
import { dropClock, saveClock } from '../state/source-clocks.ts';
import { stepThroughChain } from '../state/steps.ts';
import { notify } from '../state/toasts.ts';
import { setTraces, useTraces } from '../state/traces.ts';
import { draftSupposition, redoSupposing, stepBackSupposing, undoSupposing, useWhatIf } from '../state/what-if.ts';
import { viewKeys, viewsIn } from '../views/index.ts';
import { below } from '../widgets/action-menu.tsx';
import { messages } from './messages/keys.ts';

/** Also in a shadow root, where the event target is only the host. */
function typing(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

export function listenKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return stepOut(event);
    if (useCase.getState().name === null) return;
    if (typing(event) && event.key.toLowerCase() !== 'k') return;
    if (event.ctrlKey || event.metaKey) return withControl(event);
    if (typing(event)) return;
    const action = event.altKey
      ? withAlt[event.key]
      : (plain[event.key] ?? plain[event.key.toLowerCase()] ?? viewKey(event.key) ?? selectionKey(event.key));
    if (!action || action(event) === false) return;
    event.preventDefault();
  };
  window.addEventListener('keydown', listen);
  return () => window.removeEventListener('keydown', listen);
}

function withControl(event: KeyboardEvent): void {
  if (event.key.toLowerCase() === 'k') {
    event.preventDefault();
    if (!document.querySelector('dialog.palette[open]')) openPalette('');
    return;
  }
  const redoes = event.key.toLowerCase() === 'y' || (event.key.toLowerCase() === 'z' && event.shiftKey);
  // Undoes what-if changes before edits of the case.
  const isSupposing = useWhatIf.getState().applied.length > 0;
  if (redoes) redoSupposing() || void redo();
  else if (event.key.toLowerCase() === 'z') (isSupposing && undoSupposing()) || void undo();
  else return;
  event.preventDefault();
}

/** Space activates the focused element. */
const isPressedBySpace = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary, [role="button"], [role="treeitem"]') !== null;

/** Returns false if the key was not handled. */
type Action = (event: KeyboardEvent) => unknown;

const withAlt: Readonly<Record<string, Action>> = {
  ArrowLeft: goBack,
  ArrowRight: goForward,
  n: () => can('windows') && void openWindow(),
};

const plain: Readonly<Record<string, Action>> = {
  w: () => zoomFraction(0.7),
  s: () => zoomFraction(1 / 0.7),
  a: () => panFraction(-0.2),
  d: () => panFraction(0.2),
  f: fitWindow,
  ' ': (event) => !isPressedBySpace(event) && toggleFollowing(),
  i: () => {
    const view = incidentOf(useFocus.getState().incident);
    if (view) selectIncident(view);
  },
  '[': () => stepThroughChain(-1),
  ']': () => stepThroughChain(1),
  '/': () => {
    // Synchronously: the next letter belongs to the filter.
    flushSync(() => showView('timeline'));
    document.querySelector<HTMLInputElement>('[data-search]')?.focus();
  },
  '>': () => openPalette('>'),
  '?': () => showKeys(!useCase.getState().keysShown),
  c: () => {
    showView('timeline');
    showTab('causes');
  },
  r: () => prefer({ drawerOpen: !usePreferences.getState().drawerOpen }),
  t: cycleTimeMode,
  b: brushFromPlayhead,
  m: () => {
    // Synchronously: the next letter belongs to the note and would move the timeline.
    flushSync(() => showTab('notes'));
    document.querySelector<HTMLElement>('[data-new-note]')?.focus();
  },
  u: () => showDifferences(),
  q: () => draftSupposition({ kind: 'layer' }),
  '.': () => {
    const target = selectedTarget();
    if (!target) return notify(messages.nothingSelected);
    const at = document.querySelector('.middle') ?? document.body;
    openActionMenu(target, below(at), document.activeElement as HTMLElement | null);
  },
  ArrowLeft: (event) => movePlayhead(event.shiftKey ? -0.1 : -0.01),
  ArrowRight: (event) => movePlayhead(event.shiftKey ? 0.1 : 0.01),
  Enter: (event) => {
    if (!(event.target instanceof HTMLButtonElement) && saveClock()) return true;
    if (event.target instanceof HTMLButtonElement || useFocus.getState().selected === null) return false;
    showTab('details');
    return true;
  },
};

function cycleTimeMode(): void {
  const modes = ['utc', 'local', 'relative'] as const;
  const at = modes.indexOf(usePreferences.getState().timeMode);
  prefer({ timeMode: modes[(at + 1) % modes.length] ?? 'utc' });
}

function viewKey(key: string): Action | undefined {
  const view = viewsIn('main')[viewKeys.indexOf(key)];
  return view ? () => showView(view.view.id) : undefined;
}

/** A shortcut of the action menu, for the selected record. */
function selectionKey(key: string): Action | undefined {
  return () => runByKey(selectedTarget(), key);
}

/**
 * Closes or clears the first of: the shortcut list, the search, the comparison, the selection, the assumptions,
 * the playhead, the place.
 */
/** The trace below the list of the Traces view. */
function closeOpenTrace(): boolean {
  const isOpen = useCase.getState().view === 'traces' && useTraces.getState().open !== null;
  if (isOpen) setTraces({ open: null });
  return isOpen;
}

function stepOut(event: KeyboardEvent): void {
  const { keysShown, search, tab } = useCase.getState();
  const { selected, entities, playhead, brush } = useFocus.getState();
  if (keysShown) showKeys(false);
  else if (typing(event)) {
    if (search !== '') useCase.setState({ search: '' });
    else (event.composedPath()[0] as HTMLElement).blur();
  } else if (search !== '') useCase.setState({ search: '' });
  else if (dropClock()) return;
  else if (closeOpenTrace()) return;
  else if (leaveComparison()) return;
  else if (brush !== null) setBrush(null);
  else if (selected !== null || entities.length > 0) {
    if (entities.length > 0) selectEntity(null);
    else select(null);
    if (tab === 'details') showTab('causes');
  } else if (stepBackSupposing()) return;
  else if (playhead !== null) setPlayhead(null);
  else goBack();
}
