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

/** A single event is shown with as much around it. */
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

/** The rows of what it is about, with its time on screen. */
function showItsRows(finding: FindingView, thing: string): void {
  const length = Math.max(Number(finding.end_ns - finding.start_ns), LEAST_NS);
  setWindow(padWindow(makeWindow(nanos(finding.start_ns), length), 0.2), 'finding');
  showRows(finding.evidence[0]?.refs[0]?.startsWith('log:') ? 'log' : 'event', thing);
}

/** What can be done with a finding, in the order of the buttons. */
export function findingActions(finding: FindingView, format: TimeFormat): Action[] {
  const [first] = finding.entities;
  const entityKey = first ? entityKeyOf(first) : null;
  return [
    { id: 'timeline', title: 'In the timeline', keys: 'T', run: () => showTime(finding) },
    {
      id: 'map',
      title: 'On the map',
      keys: 'P',
      disabled: entityKey === null,
      run: () => entityKey !== null && showOnMap(entityKey),
    },
    {
      id: 'rows',
      title: 'Its rows',
      keys: 'R',
      disabled: entityKey === null,
      run: () => entityKey !== null && showItsRows(finding, entityKey),
    },
    {
      id: 'markdown',
      title: 'Copy as evidence',
      keys: 'K',
      run: () => void copyText(findingMarkdown(finding, format), 'Markdown'),
    },
    { id: 'json', title: 'Copy as JSON', keys: 'J', run: () => void copyText(findingJson(finding), 'JSON') },
  ];
}
