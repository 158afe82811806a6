import { useEffect } from 'react';
import type { DroppedFile } from '../client/dropped-files.ts';
import { useCase } from '../state/case-state.ts';
import { importFiles } from '../state/import-flow.ts';
import { chooseRates, isRatesFile } from '../state/rates.ts';
import { viewsIn } from '../views/index.ts';
import { ActionMenu } from '../widgets/action-menu.tsx';
import { ToastList } from '../widgets/toast-list.tsx';
import { Boundary } from './boundary.tsx';
import { CaptureEndsDialog } from './capture-ends-dialog.tsx';
import { ConnectLive } from './connect-live.tsx';
import { DiagnosticsDialog } from './diagnostics-dialog.tsx';
import { DropTarget } from './drop-target.tsx';
import { ExportPanel } from './export-panel.tsx';
import { Fleet } from './fleet/fleet.tsx';
import { ImportPanel } from './import-panel.tsx';
import { ImportPreview } from './import-preview.tsx';
import { KeyList } from './key-list.tsx';
import { listenKeys } from './keys.ts';
import { messages } from './messages/window.ts';
import { OpenArchive } from './open-archive.tsx';
import { OpeningPanel } from './opening-panel.tsx';
import { Palette } from './palette.tsx';
import { RejectsDialog } from './rejects-dialog.tsx';
import { Share } from './share.tsx';
import { Workbench } from './workbench.tsx';

export function App() {
  const phase = useCase((state) => state.phase);
  const hasCase = useCase((state) => state.name !== null);
  const keysShown = useCase((state) => state.keysShown);
  useEffect(() => listenKeys(), []);
  const home = viewsIn('home')[0];
  return (
    <div className="app" data-testid="app-root" data-phase={phase}>
      <DropTarget onFiles={(files) => void takeFiles(files)} />
      <Boundary what={messages.theWindow}>{hasCase ? <Workbench /> : home?.view.render(true)}</Boundary>
      <ImportPanel />
      <ExportPanel />
      <OpeningPanel />
      <ImportPreview />
      <RejectsDialog />
      <CaptureEndsDialog />
      <DiagnosticsDialog />
      <ConnectLive />
      <Fleet />
      <OpenArchive />
      <Share />
      {keysShown ? <KeyList /> : null}
      {hasCase ? <Palette /> : null}
      <ActionMenu />
      <ToastList />
    </div>
  );
}

/** A price catalog is applied to the open case; other files are imported. */
async function takeFiles(files: readonly DroppedFile[]): Promise<void> {
  const [first] = files;
  const isRates = files.length === 1 && first && useCase.getState().name !== null && (await isRatesFile(first.file));
  return isRates ? chooseRates(first.file) : importFiles(files);
}
