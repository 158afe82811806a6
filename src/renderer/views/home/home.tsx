import { useCan } from '../../state/abilities.ts';
import { useCase } from '../../state/case-state.ts';
import { openFileChooser, openFolderChooser } from '../../state/file-chooser.ts';
import { showConnecting } from '../../state/live.ts';
import { hasOwnDialog, openDemo, pickCase, start } from '../../state/session.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import './home.css';
import { Opening } from './opening.tsx';
import { RecentCases } from './recent-cases.tsx';

export function Home() {
  const app = useCase((state) => state.app);
  const phase = useCase((state) => state.phase);
  const problem = useCase((state) => state.openProblem);
  const imports = useCan('import');
  const busy = phase === 'opening' || phase === 'booting';
  return (
    <main className="home" data-testid="drop-zone" aria-label="Drop files to begin">
      <div className="home-box">
        <Welcome />
        <div className="button-row">
          <button
            type="button"
            className="primary"
            disabled={busy || !app}
            onClick={openFileChooser}
            data-testid="open-files"
          >
            {imports ? 'Open files' : 'Open a bundle'}
          </button>
          {imports ? (
            <button type="button" disabled={busy} onClick={openFolderChooser} data-testid="open-folder">
              Open folder
            </button>
          ) : null}
          {hasOwnDialog(app) ? (
            <button type="button" disabled={busy} onClick={() => void pickCase()}>
              Open case
            </button>
          ) : null}
          {useCan('demo') ? (
            <button type="button" disabled={busy} onClick={() => void openDemo()} data-testid="open-demo">
              Demo incident
            </button>
          ) : null}
          {useCan('live') ? (
            <button type="button" disabled={busy} onClick={() => showConnecting(true)} data-testid="connect-live">
              Connect live
            </button>
          ) : null}
        </div>
        {phase === 'booting' ? <Progress label="Connecting" /> : null}
        {phase === 'opening' ? <Opening /> : null}
        {problem ? <ProblemNote problem={problem} {...(app ? {} : { onRetry: () => void start() })} /> : null}
        <RecentCases />
        {app && app.formats.length > 0 ? (
          <details className="muted formats">
            <summary>
              Reads {app.formats.length} formats, folders and archives of them; nothing is kept before you have seen
              what was recognised
            </summary>
            <ul>
              {app.formats.map((format) => (
                <li key={format.id}>{format.title}</li>
              ))}
            </ul>
          </details>
        ) : null}
        {app ? (
          <p className="muted">
            {app.name} {app.version}. Nothing leaves this machine.
          </p>
        ) : null}
      </div>
    </main>
  );
}

function Welcome() {
  const app = useCase((state) => state.app);
  if (app && !app.abilities.includes('import'))
    return (
      <>
        <h1>Drop a bundle, anywhere here</h1>
        <p className="muted">
          One file (.flb) holds a whole incident: what was recorded, what caused it, and what was noted about it. It is
          checked and read in this page; recordings are imported, and incidents captured live, by the desktop app.
        </p>
      </>
    );
  return (
    <>
      <h1>Drop what was recorded, anywhere here</h1>
      <p className="muted">
        Traces, metrics, logs, power and cooling events, GPU telemetry, topology. Faultline puts them on one clock,
        finds what got worse, and says what caused it and how sure it is.
      </p>
    </>
  );
}
