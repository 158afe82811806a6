import type { FindingView } from '../../../model/incident/finding.ts';
import { nanos } from '../../../model/time.ts';
import { entityKeyOf, findingJson, findingMarkdown } from '../../draw/text/finding-text.ts';
import type { TimeFormat } from '../../draw/text/format-time.ts';
import type { Action } from '../../state/action-menu.ts';
import { showView } from '../../state/case-state.ts';
import { select, selectEntity, setWindow } from '../../state/focus.ts';
import { showRows } from '../../state/show-rows.ts';
import { makeWindow, padWindow } from '../../state/time-window.ts';
import { copyText } from '../../state/toasts.ts';
import { messages } from './messages.ts';

/** Minimum window around a single event. */
const LEAST_NS = 60e9;

function showTime({ start_ns, end_ns, evidence }: FindingView): void {
  const length = Math.max(Number(end_ns - start_ns), LEAST_NS);
  setWindow(padWindow(makeWindow(nanos(start_ns), length), 0.2), 'finding');
  select(evidence.flatMap(({ refs }) => refs)[0] ?? null, nanos(start_ns));
  showView('timeline');
}

function showOnMap(entityKey: string): void {
  selectEntity(entityKey);
  showView('topology');
}

/** Shows the rows of its entity, with its time on screen. */
function showItsRows(finding: FindingView, entity: string): void {
  const length = Math.max(Number(finding.end_ns - finding.start_ns), LEAST_NS);
  setWindow(padWindow(makeWindow(nanos(finding.start_ns), length), 0.2), 'finding');
  showRows(finding.evidence[0]?.refs[0]?.startsWith('log:') ? 'log' : 'event', entity);
}

/** Actions of a finding, in the order of the buttons. */
export function findingActions(finding: FindingView, format: TimeFormat): Action[] {
  const [first] = finding.entities;
  const entityKey = first ? entityKeyOf(first) : null;
  return [
    { id: 'timeline', title: messages.actions.timeline, keys: 'T', run: () => showTime(finding) },
    {
      id: 'map',
      title: messages.actions.map,
      keys: 'P',
      disabled: entityKey === null,
      run: () => entityKey !== null && showOnMap(entityKey),
    },
    {
      id: 'rows',
      title: messages.actions.rows,
      keys: 'R',
      disabled: entityKey === null,
      run: () => entityKey !== null && showItsRows(finding, entityKey),
    },
    {
      id: 'markdown',
      title: messages.actions.copyMarkdown,
      keys: 'K',
      run: () => void copyText(findingMarkdown(finding, format), messages.markdown),
    },
    {
      id: 'json',
      title: messages.actions.copyJson,
      keys: 'J',
      run: () => void copyText(findingJson(finding), messages.json),
    },
  ];
}
