import { flushSync } from 'react-dom';
import { can } from '../state/abilities.ts';
import { closeActionMenu, openActionMenu, runByKey, useActionMenu } from '../state/action-menu.ts';
import { selectedTarget } from '../state/actions.ts';
import { redo, undo } from '../state/annotations.ts';
import { openPalette, showKeys, showTab, showView, useCase, type ViewId } from '../state/case-state.ts';
import { leaveComparison } from '../state/comparison.ts';
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
import { prefer, usePreferences } from '../state/preferences.ts';
import { openWindow } from '../state/session.ts';
import { dropClock, saveClock } from '../state/source-clocks.ts';
import { stepThroughChain } from '../state/steps.ts';
import { notify } from '../state/toasts.ts';
import { draftSupposition, redoSupposing, stepBackSupposing, undoSupposing, useWhatIf } from '../state/what-if.ts';
import { viewKeys, viewsIn } from '../views/index.ts';
import { below } from '../widgets/action-menu.tsx';

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

export const keyHelp: readonly KeyHelp[] = [
  { keys: '1 … 9 0', does: 'switch view' },
  { keys: 'W S', does: 'zoom in, out' },
  { keys: 'A D', does: 'earlier, later' },
  { keys: '← →', does: 'move the playhead (Shift: further)' },
  { keys: 'F', does: 'fit all data' },
  { keys: 'Space', does: 'while live: pause following, catch up' },
  { keys: 'I', does: 'zoom to the selected incident' },
  { keys: '[ ]', does: 'previous, next step of the chain' },
  { keys: 'Enter', does: 'open the selected record' },
  { keys: 'C', does: 'causes beside the timeline' },
  { keys: '.', does: 'what can be done with what has the focus, or is selected' },
  { keys: 'E Z', does: 'of that: focus the thing, zoom to it' },
  { keys: 'J K Y', does: 'of that: copy as JSON, as Markdown, its evidence id' },
  { keys: 'X L', does: 'what if: without that event, without its layer' },
  { keys: 'Q', does: 'what if: suppose something else' },
  { keys: 'O', does: 'on a span: open its trace' },
  { keys: 'V', does: 'on a hypothesis: compare it; on a span: logs of its trace; on a log record: its trace' },
  { keys: '/', does: 'search lanes and entities' },
  { keys: 'Ctrl K', does: 'find things, events, spans, logs' },
  { keys: '>', does: 'commands' },
  { keys: 'R', does: 'rows of the selection' },
  { keys: 'T', does: 'times in UTC, local, relative' },
  { keys: 'Alt ← →', does: 'back, forward' },
  { keys: 'Alt N', does: 'one more window on this case' },
  { keys: 'B', does: 'figures of a time: from the playhead, then up to it (or Shift and drag)' },
  { keys: 'U', does: 'what differs in the brushed time, else in the incident' },
  { keys: 'M', does: 'note at the playhead' },
  { keys: 'Ctrl Z', does: 'undo what is supposed, then what was added (with Shift: redo)' },
  { keys: 'Esc', does: 'step back' },
  { keys: '↑ ↓', does: 'between lanes, when one has the focus (← → on a rack or server: fold, unfold)' },
  { keys: 'N P H O G', does: 'on a lane: next, previous mark; taller; on top; its rows' },
  { keys: 'Alt ← → Enter', does: 'on a lane: set the clock of its source (or Alt and drag); Enter keeps it' },
  { keys: 'Enter Z A', does: 'on a box of a flame graph: its traces, zoom to it, zoom out' },
  { keys: 'U', does: 'on a box of a flame graph or the map, or a stage of a trace: what differs there' },
  { keys: '?', does: 'this list' },
];

/** Also within a shadow root, of which the window is only told the host. */
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
    if (useCase.getState().info === null) return;
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
  // What is supposed stands beside the case: it goes first.
  const isSupposing = useWhatIf.getState().applied.length > 0;
  if (redoes) redoSupposing() || void redo();
  else if (event.key.toLowerCase() === 'z') (isSupposing && undoSupposing()) || void undo();
  else return;
  event.preventDefault();
}

/** Space presses what has the focus. */
const isPressedBySpace = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary, [role="button"], [role="treeitem"]') !== null;

/** Answers false when the key was not for it after all. */
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
    const view = useCase.getState().incidents?.find(({ incident }) => incident.id === useFocus.getState().incident);
    if (view) selectIncident(view);
  },
  '[': () => stepThroughChain(-1),
  ']': () => stepThroughChain(1),
  '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
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
    // At once: the next letter belongs to the note, and would move the timeline.
    flushSync(() => showTab('notes'));
    document.querySelector<HTMLElement>('[data-new-note]')?.focus();
  },
  u: () => showDifferences(),
  q: () => draftSupposition({ kind: 'layer' }),
  '.': () => {
    const target = selectedTarget();
    if (!target) return notify('nothing is selected: click a mark, or move to a lane, a step or a row first');
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
  return view ? () => showView(view.view.id as ViewId) : undefined;
}

/** A key of the actions menu, for the selected record. */
function selectionKey(key: string): Action | undefined {
  return () => runByKey(selectedTarget(), key);
}

/**
 * The nearest thing that can be left: an open menu, the key list, the search, the comparison, the selection, the
 * supposition, the playhead, the place.
 */
function stepOut(event: KeyboardEvent): void {
  const { keysShown, search, tab } = useCase.getState();
  const { selected, entities, playhead, brush } = useFocus.getState();
  if (useActionMenu.getState().open) closeActionMenu();
  else if (keysShown) showKeys(false);
  else if (typing(event)) {
    if (search !== '') useCase.setState({ search: '' });
    else (event.composedPath()[0] as HTMLElement).blur();
  } else if (search !== '') useCase.setState({ search: '' });
  else if (dropClock()) return;
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
