import { useCan } from '../../state/abilities.ts';
import { showArchive } from '../../state/archive-draft.ts';
import { openDemo, pickCase } from '../../state/case-lifecycle.ts';
import { useCase } from '../../state/case-state.ts';
import { start } from '../../state/connection.ts';
import { showDiagnostics } from '../../state/diagnostics.ts';
import { openFileChooser, openFolderChooser } from '../../state/file-chooser.ts';
import { showFleet } from '../../state/fleet-draft.ts';
import { hasOwnDialog } from '../../state/import-flow.ts';
import { useApp } from '../../state/known.ts';
import { showConnecting } from '../../state/live.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import './home.css';
import { DemoScenarios } from './demo-scenarios.tsx';
import { messages } from './messages.ts';
import { Opening } from './opening.tsx';
import { RecentCases } from './recent-cases.tsx';

export function Home() {
  const app = useApp();
  const phase = useCase((state) => state.phase);
  const problem = useCase((state) => state.openProblem);
  const imports = useCan('import');
  const live = useCan('live');
  const busy = phase === 'opening' || phase === 'booting';
  return (
    <main className="home" data-testid="drop-zone" aria-label={messages.dropZone}>
      <div className="home-panel">
        <Welcome />
        <div className="button-row">
          <button
            type="button"
            className="primary"
            disabled={busy || !app}
            onClick={openFileChooser}
            data-testid="open-files"
          >
            {imports ? messages.openFiles : messages.openBundle}
          </button>
          {imports ? (
            <button type="button" disabled={busy} onClick={openFolderChooser} data-testid="open-folder">
              {messages.openFolder}
            </button>
          ) : null}
          {hasOwnDialog(app) ? (
            <button type="button" disabled={busy} onClick={() => void pickCase()}>
              {messages.openCase}
            </button>
          ) : null}
          {useCan('demo') ? (
            <button type="button" disabled={busy} onClick={() => void openDemo()} data-testid="open-demo">
              {messages.demo}
            </button>
          ) : null}
          {live ? (
            <>
              <button type="button" disabled={busy} onClick={() => showArchive(true)} data-testid="open-archive">
                {messages.openArchive}
              </button>
              <button type="button" disabled={busy} onClick={() => showFleet(true)} data-testid="open-fleet">
                {messages.fleet}
              </button>
              <button type="button" disabled={busy} onClick={() => showConnecting(true)} data-testid="connect-live">
                {messages.connectLive}
              </button>
            </>
          ) : null}
        </div>
        {phase === 'booting' ? <Progress label={messages.connecting} /> : null}
        {phase === 'opening' ? <Opening /> : null}
        {problem ? <ProblemNote problem={problem} {...(app ? {} : { onRetry: () => void start() })} /> : null}
        {useCan('demo') ? <DemoScenarios disabled={busy} /> : null}
        <RecentCases />
        {app && app.formats.length > 0 ? (
          <details className="muted formats">
            <summary>{messages.formats(app.formats.length)}</summary>
            <ul>
              {app.formats.map((format) => (
                <li key={format.id}>{format.title}</li>
              ))}
            </ul>
          </details>
        ) : null}
        {app ? (
          <p className="muted">
            {messages.version(app.name, app.version)}{' '}
            <button type="button" className="plain" onClick={() => void showDiagnostics()}>
              {messages.diagnostics}
            </button>
          </p>
        ) : null}
      </div>
    </main>
  );
}

function Welcome() {
  const app = useApp();
  if (app && !app.abilities.includes('import'))
    return (
      <>
        <h1>{messages.bundle.title}</h1>
        <p className="muted">{messages.bundle.about}</p>
      </>
    );
  return (
    <>
      <h1>{messages.title.drop}</h1>
      <p className="muted">{messages.title.about}</p>
    </>
  );
}
