import { can } from '../state/abilities.ts';
import { redo, undo } from '../state/annotations.ts';
import { cannedSearches } from '../state/canned-searches.ts';
import { showKeys, showTab, showView, useCase, type ViewId } from '../state/case-state.ts';
import { showDifferences } from '../state/difference-request.ts';
import { exportReport } from '../state/export-report.ts';
import { exportForPerfetto } from '../state/export-window.ts';
import { openFileChooser, openFolderChooser } from '../state/file-chooser.ts';
import { fitWindow, goBack, goForward, selectIncident, useFocus } from '../state/focus.ts';
import { toggleFollowing } from '../state/follow-live.ts';
import { isRecording, showConnecting, stopCapture, useLive } from '../state/live.ts';
import { prefer, usePreferences } from '../state/preferences.ts';
import { closeCase, openDemo, openWindow } from '../state/session.ts';
import { showSharing } from '../state/share.ts';
import { copyTable, saveTable, shownTables } from '../state/shown-tables.ts';
import { searchEverywhere } from '../state/traces.ts';
import { viewKeys, viewsIn } from '../views/index.ts';

export interface Command {
  readonly title: string;
  readonly keys: string;
  readonly run: () => void;
}

/** Everything that the window can do by name. */
export function commands(): Command[] {
  const plain = (title: string, run: () => void, keys = ''): Command => ({ title, keys, run });
  return [
    ...viewsIn('main').map(({ view }, at) =>
      plain(`Show ${view.title}`, () => showView(view.id as ViewId), viewKeys[at]),
    ),
    ...viewsIn('side').map(({ view }) => plain(`${view.title} beside it`, () => showTab(view.id as never))),
    ...(useCase.getState().incidents ?? []).map((view) =>
      plain(`Go to the incident of ${view.service}`, () => selectIncident(view)),
    ),
    plain('Fit all data', fitWindow, 'F'),
    plain('Back', goBack, 'Alt ←'),
    plain('Forward', goForward, 'Alt →'),
    plain('Undo what was added', () => void undo(), 'Ctrl Z'),
    plain('Redo', () => void redo(), 'Ctrl Shift Z'),
    plain('Times in UTC', () => prefer({ timeMode: 'utc' })),
    plain('Times in local time', () => prefer({ timeMode: 'local' })),
    plain('Times from the onset', () => prefer({ timeMode: 'relative' })),
    plain('Dark theme', () => prefer({ theme: 'dark' })),
    plain('Light theme', () => prefer({ theme: 'light' })),
    plain('Theme of the system', () => prefer({ theme: 'system' })),
    plain('What differs here', () => showDifferences(), 'U'),
    ...cannedSearches.map(({ title, query }) => plain(`Traces: ${title}`, () => searchEverywhere(query))),
    plain('Rows of the selection', () => prefer({ drawerOpen: !usePreferences.getState().drawerOpen }), 'R'),
    plain('Export the report', () => void exportReport()),
    ...(can('exports') ? [plain('Export this window for Perfetto…', () => void exportForPerfetto())] : []),
    ...shownTables().flatMap((table) => [
      plain(`Save as CSV: ${table.label}`, () => void saveTable(table)),
      plain(`Copy for a spreadsheet: ${table.label}`, () => void copyTable(table)),
    ]),
    plain('Share as a bundle…', () => showSharing(true)),
    ...(can('live') ? [plain('Connect live…', () => showConnecting(true))] : []),
    ...liveCommands(plain),
    ...(can('import')
      ? [plain('Import files…', openFileChooser), plain('Import a folder…', openFolderChooser)]
      : [plain('Open a bundle…', openFileChooser)]),
    ...(can('demo') ? [plain('Open the demo incident', () => void openDemo())] : []),
    ...(can('windows') ? [plain('New window on this case', () => void openWindow(), 'Alt N')] : []),
    plain('Close case', () => void closeCase()),
    plain('Keys', () => showKeys(true), '?'),
  ];
}

function liveCommands(plain: (title: string, run: () => void, keys?: string) => Command): Command[] {
  if (!isRecording(useLive.getState())) return [];
  const title = useFocus.getState().following ? 'Pause following live' : 'Catch up with live';
  return [plain(title, () => void toggleFollowing(), 'Space'), plain('End the capture', () => void stopCapture())];
}

/** Commands with every word of the text in their title, in their own order. */
export function commandsLike(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}
