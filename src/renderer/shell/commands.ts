import { impactedText } from '../../model/incident/incident.ts';
import { reportTemplateNames, reportTemplates } from '../../model/incident/report-template.ts';
import { can } from '../state/abilities.ts';
import { redo, undo } from '../state/annotations.ts';
import { showArchive } from '../state/archive-draft.ts';
import { cannedSearches } from '../state/canned-searches.ts';
import { closeCase, openDemo } from '../state/case-lifecycle.ts';
import { showKeys, showTab, showView } from '../state/case-state.ts';
import { openWindow } from '../state/connection.ts';
import { showDiagnostics } from '../state/diagnostics.ts';
import { showDifferences } from '../state/difference-request.ts';
import { exportReport } from '../state/export-report.ts';
import { exportForPerfetto } from '../state/export-window.ts';
import { openFileChooser, openFolderChooser } from '../state/file-chooser.ts';
import { showFleet } from '../state/fleet-draft.ts';
import { fitWindow, goBack, goForward, selectIncident, useFocus } from '../state/focus.ts';
import { toggleFollowing } from '../state/follow-live.ts';
import { known } from '../state/known.ts';
import { isRecording, showConnecting, stopCapture, useLive } from '../state/live.ts';
import { prefer, usePreferences } from '../state/preferences.ts';
import { showReport } from '../state/report-layout.ts';
import { copyPlaceLink } from '../state/route.ts';
import { showSharing } from '../state/share.ts';
import { copyTable, saveTable, shownTables } from '../state/shown-tables.ts';
import { searchEverywhere } from '../state/traces.ts';
import { viewKeys, viewsIn } from '../views/index.ts';
import { messages } from './messages/window.ts';

export interface Command {
  readonly title: string;
  readonly keys: string;
  readonly run: () => void;
}

/** All commands of the window. */
export function commands(): Command[] {
  const plain = (title: string, run: () => void, keys = ''): Command => ({ title, keys, run });
  return [
    ...viewsIn('main').map(({ view }, at) =>
      plain(messages.commands.show(view.title), () => showView(view.id), viewKeys[at]),
    ),
    ...viewsIn('side').map(({ view }) => plain(messages.commands.beside(view.title), () => showTab(view.id))),
    ...(known('incidents.list') ?? []).map((view) =>
      plain(messages.commands.incident(impactedText(view.incident), view.incident.id), () => selectIncident(view)),
    ),
    plain(messages.commands.fit, fitWindow, 'F'),
    plain(messages.commands.back, goBack, 'Alt ←'),
    plain(messages.commands.forward, goForward, 'Alt →'),
    plain(messages.commands.copyLink, () => void copyPlaceLink()),
    plain(messages.commands.undo, () => void undo(), 'Ctrl Z'),
    plain(messages.commands.redo, () => void redo(), 'Ctrl Shift Z'),
    plain(messages.commands.utc, () => prefer({ timeMode: 'utc' })),
    plain(messages.commands.local, () => prefer({ timeMode: 'local' })),
    plain(messages.commands.relative, () => prefer({ timeMode: 'relative' })),
    plain(messages.commands.dark, () => prefer({ theme: 'dark' })),
    plain(messages.commands.light, () => prefer({ theme: 'light' })),
    plain(messages.commands.system, () => prefer({ theme: 'system' })),
    usePreferences.getState().wheel === 'scroll'
      ? plain(messages.commands.wheelZooms, () => prefer({ wheel: 'zoom' }))
      : plain(messages.commands.wheelScrolls, () => prefer({ wheel: 'scroll' })),
    plain(messages.commands.differences, () => showDifferences(), 'U'),
    ...cannedSearches.map(({ title, query }) => plain(messages.commands.traces(title), () => searchEverywhere(query))),
    plain(messages.commands.rows, () => prefer({ drawerOpen: !usePreferences.getState().drawerOpen }), 'R'),
    plain(messages.commands.exportReport, () => void exportReport()),
    ...reportTemplateNames.map((one) =>
      plain(messages.commands.reportAs(reportTemplates[one].title), () => showReport(one)),
    ),
    ...(can('exports') ? [plain(messages.commands.exportPerfetto, () => void exportForPerfetto())] : []),
    ...shownTables().flatMap((table) => [
      plain(messages.commands.saveCsv(table.label), () => void saveTable(table)),
      plain(messages.commands.copyTable(table.label), () => void copyTable(table)),
    ]),
    plain(messages.commands.share, () => showSharing(true)),
    ...(can('live')
      ? [
          plain(messages.commands.connectLive, () => showConnecting(true)),
          plain(messages.commands.openArchive, () => showArchive(true)),
          plain(messages.commands.fleet, () => showFleet(true)),
        ]
      : []),
    ...liveCommands(plain),
    ...(can('import')
      ? [
          plain(messages.commands.importFiles, openFileChooser),
          plain(messages.commands.importFolder, openFolderChooser),
        ]
      : [plain(messages.commands.openBundle, openFileChooser)]),
    ...(can('demo') ? [plain(messages.commands.demo, () => void openDemo())] : []),
    ...(can('windows') ? [plain(messages.commands.newWindow, () => void openWindow(), 'Alt N')] : []),
    plain(messages.commands.close, () => void closeCase()),
    plain(messages.commands.diagnostics, () => void showDiagnostics()),
    plain(messages.commands.keys, () => showKeys(true), '?'),
  ];
}

function liveCommands(plain: (title: string, run: () => void, keys?: string) => Command): Command[] {
  if (!isRecording(useLive.getState())) return [];
  const title = useFocus.getState().following ? messages.commands.pause : messages.commands.catchUp;
  return [
    plain(title, () => void toggleFollowing(), 'Space'),
    plain(messages.commands.endCapture, () => void stopCapture()),
  ];
}

/** Commands whose title contains every word of the text, in their usual order; then those with its letters in their order. */
export function commandsLike(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = commands().map((command) => ({ command, title: command.title.toLowerCase() }));
  const whole = all.filter(({ title }) => words.every((word) => title.includes(word)));
  const loose = all.filter((one) => !whole.includes(one) && words.every((word) => hasLetters(one.title, word)));
  return [...whole, ...loose].map(({ command }) => command);
}

/** Fewer letters are in most titles. */
const LEAST_LETTERS = 3;

/** `tplgy` in "show topology": letters in their order, the first one at the beginning of a word. */
function hasLetters(title: string, word: string): boolean {
  if (title.includes(word)) return true;
  if (word.length < LEAST_LETTERS) return false;
  const starts = [...title.matchAll(/\S+/g)].map(({ 0: each }) => each);
  return starts.some((each) => {
    if (each[0] !== word[0]) return false;
    let at = 0;
    for (const letter of word) {
      at = each.indexOf(letter, at) + 1;
      if (at === 0) return false;
    }
    return true;
  });
}
