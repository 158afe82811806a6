import { adoptFiles } from '../client/adopt-files.ts';
import { desktopBridge } from '../client/bridge.ts';
import { createClient } from '../client/client.ts';
import { problemOf } from '../client/problem-of.ts';
import { connect } from '../client/transport.ts';
import { useCase } from './case-state.ts';
import { client, follow, setClient } from './client.ts';
import { listenFollowing, resumeFollowing } from './follow-live.ts';
import { runImport } from './import-flow.ts';
import { useImport } from './import-state.ts';
import { load } from './known.ts';
import { followLink, takeLink } from './link.ts';
import { takeCapture } from './live.ts';
import { startLiveRefresh } from './live-refresh.ts';
import { listenFeeds } from './live-rows.ts';
import { messages } from './messages.ts';
import { catchUp } from './other-windows.ts';
import { followRoute, showEnteredPlace } from './route.ts';
import { recallPlace, rememberPlaces } from './saved-view-state.ts';
import { goHome, showCase } from './shown-case.ts';
import { showError } from './toasts.ts';
import { guardUnsaved } from './unsaved.ts';

/** Shown once; the next call reconnects and reports its own failure. */
function showConnectionLost(): void {
  showError({
    code: 'connection.lost',
    message: messages.connectionLost,
    hint: messages.connectionLostHint,
  });
}

/** Registered once, before the first case, so that work during correlation is not lost. */
export function listen(): void {
  listenFollowing();
  rememberPlaces();
  takeLink(location.search);
  followRoute();
  startLiveRefresh();
  listenFeeds();
  guardUnsaved();
}

/** Connects, then shows the open case of the host, or Home. */
export async function start(): Promise<void> {
  try {
    setClient(
      createClient(await connect(showConnectionLost), (_name, queryMs) => {
        useCase.setState({ queryMs });
        followHost();
      }),
    );
    const [info] = await Promise.all([client().call('case.current', {}), load('app.info'), load('case.recent')]);
    useCase.setState({ openProblem: null });
    if (info) {
      await showCase(info, (name) => resumeFollowing(recallPlace(name)));
      showEnteredPlace();
    } else {
      useCase.setState({ phase: 'home' });
      followLink(null);
    }
    followHost();
    await openLinkedBundle();
  } catch (error) {
    useCase.setState({ phase: 'home', openProblem: problemOf(error) });
  }
}

/** Opens a bundle that the page address names, if the host allows it. */
async function openLinkedBundle(): Promise<void> {
  const linkedBundle = desktopBridge()?.linkedBundle?.();
  if (!linkedBundle) return;
  await runImport(async (signal) => {
    const onProgress = (bytesDone: number, bytesTotal: number) =>
      useImport.setState({ phase: 'uploading', file: linkedBundle.name, bytesDone, bytesTotal });
    const file = (await linkedBundle.fetch(onProgress, signal)) as File;
    return adoptFiles([{ file, path: null }], () => undefined, signal);
  });
}

function followHost(): void {
  void follow('capture.state', takeCapture);
  void follow('case.changes', (change) =>
    catchUp(change, async (info) => {
      if (info) await showCase(info, recallPlace);
      else goHome();
    }),
  );
}

/** Opens one more window on the same case; without host windows, a browser window. */
export async function openWindow(): Promise<void> {
  try {
    const { opened } = await client().call('app.new_window', {});
    if (!opened) window.open(location.href, '_blank', 'noopener');
  } catch (error) {
    showError(problemOf(error));
  }
}
