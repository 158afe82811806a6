import { decimalsFor, formatDate, formatDuration, formatTime, zoneName } from '../draw/text/format-time.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { can } from '../state/abilities.ts';
import { showArchive } from '../state/archive-draft.ts';
import { closeCase, openDemo, openRecent, pickCase } from '../state/case-lifecycle.ts';
import { openPalette, showSources, showView, useCase } from '../state/case-state.ts';
import { openWindow } from '../state/connection.ts';
import { exportForPerfetto } from '../state/export-window.ts';
import { openFileChooser, openFolderChooser } from '../state/file-chooser.ts';
import { showFleet } from '../state/fleet-draft.ts';
import { fitWindow, goBack, goForward, useFocus } from '../state/focus.ts';
import { hasOwnDialog } from '../state/import-flow.ts';
import { useApp, useInfo, useRecent } from '../state/known.ts';
import { showConnecting } from '../state/live.ts';
import { copyPlaceLink } from '../state/route.ts';
import { showSharing } from '../state/share.ts';
import { spanOf } from '../state/time-window.ts';
import { useUnsaved } from '../state/unsaved.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { Menu, type MenuItem } from '../widgets/menu.tsx';
import { LiveBadge } from './live-badge.tsx';
import { messages } from './messages/window.ts';

export function TopBar() {
  return (
    <header className="top-bar">
      <h1 className="visually-hidden">{messages.app}</h1>
      <CaseMenu />
      <WindowRange />
      <Navigation />
      <span className="spring" />
      <button type="button" className="find" title={messages.top.searchTitle} onClick={() => openPalette('')}>
        {messages.top.search}
        <span className="find-what">{messages.top.searchWhat}</span> <kbd className="muted">Ctrl K</kbd>
      </button>
      <RejectCount />
      <LiveBadge />
      <ShareButton />
      <button type="button" onClick={() => showView('report')}>
        {messages.top.report}
      </button>
    </header>
  );
}

function ShareButton() {
  const unsaved = useUnsaved();
  const title = unsaved ? messages.top.unsaved : undefined;
  return (
    <button type="button" onClick={() => showSharing(true)} data-testid="share" title={title}>
      {unsaved ? messages.top.save : messages.top.share}
    </button>
  );
}

function CaseMenu() {
  const name = useCase((state) => state.name ?? '');
  const app = useApp();
  const recent = useRecent();
  const items: MenuItem[] = [
    ...(can('import')
      ? [
          { id: 'import', title: messages.commands.importFiles, note: messages.top.dropFiles, run: openFileChooser },
          { id: 'folder', title: messages.commands.importFolder, run: openFolderChooser },
        ]
      : [{ id: 'bundle', title: messages.commands.openBundle, note: messages.top.dropBundle, run: openFileChooser }]),
    ...(hasOwnDialog(app) ? [{ id: 'open', title: messages.top.openCase, run: () => void pickCase() }] : []),
    ...(can('live') ? [{ id: 'live', title: messages.commands.connectLive, run: () => showConnecting(true) }] : []),
    ...(can('live') ? [{ id: 'archive', title: messages.commands.openArchive, run: () => showArchive(true) }] : []),
    ...(can('live') ? [{ id: 'fleet', title: messages.commands.fleet, run: () => showFleet(true) }] : []),
    ...(can('demo') ? [{ id: 'demo', title: messages.commands.demo, run: () => void openDemo() }] : []),
    ...recent
      .filter((each) => each.name !== name)
      .slice(0, 5)
      .map((each) => ({ id: each.id, title: each.name, note: 'recent', run: () => void openRecent(each.id) })),
    ...(can('exports')
      ? [{ id: 'perfetto', title: messages.commands.exportPerfetto, run: () => void exportForPerfetto() }]
      : []),
    ...(can('windows')
      ? [{ id: 'window', title: messages.top.newWindow, note: 'Alt N', run: () => void openWindow() }]
      : []),
    { id: 'link', title: messages.commands.copyLink, run: () => void copyPlaceLink() },
    { id: 'close', title: messages.commands.close, run: () => void closeCase() },
  ];
  return (
    <Menu label={messages.top.case} items={items}>
      <b className="ellipsis" data-testid="case-name">
        {name}
      </b>{' '}
      <span aria-hidden="true" className="muted">
        ▾
      </span>
    </Menu>
  );
}

function WindowRange() {
  const { startNs, endNs } = useFocus((focus) => focus.window);
  const format = useTimeFormat();
  const span = spanOf({ startNs, endNs });
  const decimals = decimalsFor(span / 100);
  const shown = Math.min(decimals, 6);
  const date = format.mode === 'relative' ? '' : `${formatDate(startNs, format)} `;
  const endDate = format.mode === 'relative' ? '' : `${formatDate(endNs, format)} `;
  // Times alone would be another window where it lasts for days.
  return (
    <span
      className={`window-range${endDate === date ? '' : ' over-days'}`}
      data-testid="window-range"
      title={messages.top.range}
    >
      <span className="muted window-date">{date}</span>
      {formatTime(startNs, format, shown)} - {endDate === date ? null : <span className="muted">{endDate}</span>}
      {formatTime(endNs, format, shown)} {zoneName(format.mode)} <span className="muted">({formatDuration(span)})</span>
    </span>
  );
}

function Navigation() {
  const back = useFocus((focus) => focus.history.past.length > 0);
  const forward = useFocus((focus) => focus.history.future.length > 0);
  return (
    <span className="navigation">
      <button
        type="button"
        className="plain"
        aria-label={messages.commands.back}
        title={messages.top.backTitle}
        disabled={!back}
        onClick={goBack}
      >
        ‹
      </button>
      <button
        type="button"
        className="plain"
        aria-label={messages.commands.forward}
        title={messages.top.forwardTitle}
        disabled={!forward}
        onClick={goForward}
      >
        ›
      </button>
      <Fit />
    </span>
  );
}

/** Rows that a capture dated later than its own clock are outside of "Fit"; the button shows that. */
function Fit() {
  const bounds = useFocus((focus) => focus.bounds);
  const recorded = useFocus((focus) => focus.recorded);
  const format = useTimeFormat();
  const hasMore = bounds.endNs > recorded.endNs;
  const until = `${formatDate(recorded.endNs, format)} ${formatTime(recorded.endNs, format)} ${zoneName(format.mode)}`;
  const more = messages.top.fitUntil(until);
  return (
    <button type="button" className="plain" title={messages.top.fitTitle(hasMore ? more : '')} onClick={fitWindow}>
      {hasMore ? messages.top.fitBeyond : messages.top.fit}
    </button>
  );
}

function RejectCount() {
  const rejects = useInfo()?.rejects ?? 0;
  if (rejects === 0) return null;
  return (
    <button
      type="button"
      className="plain rejects some"
      data-testid="rejects-count"
      title={messages.top.rejectsTitle}
      onClick={() => showSources('rejects')}
    >
      {formatCount(rejects)} {rejects === 1 ? messages.top.reject : messages.top.rejects}
    </button>
  );
}
