import { formatDuration } from '../draw/text/format-time.ts';
import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { dismissImport, type ImportState, useImport } from '../state/import-state.ts';
import { cancelImport, reimport } from '../state/session.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';

/** What an import does right now, and afterwards which files it could not read. */
export function ImportPanel() {
  const state = useImport();
  if (state.phase === 'idle' || state.phase === 'choosing') return null;
  const running = state.phase !== 'done';
  return (
    <section className="import-panel" data-testid="import-progress" aria-label="Import" aria-live="polite">
      <header>
        <h2>
          {running
            ? state.phase === 'importing'
              ? 'Importing'
              : state.phase === 'looking'
                ? `Looking at ${formatCount(state.inspectedFiles)} files`
                : 'Handing over files'
            : `Imported ${state.imported} ${state.imported === 1 ? 'source' : 'sources'}`}
        </h2>
        {running ? (
          <button type="button" data-testid="import-cancel" onClick={cancelImport}>
            Cancel
          </button>
        ) : (
          <button type="button" onClick={dismissImport}>
            Close
          </button>
        )}
      </header>
      {running ? <Running state={state} /> : null}
      {state.problems.length > 0 ? (
        <ul className="import-problems">
          {state.problems.map(({ file, problem }) => (
            <li key={`${file} ${problem.code} ${problem.message}`}>
              <ProblemNote
                problem={problem}
                what={file}
                retry="Import again anyway"
                {...(problem.code === 'import.duplicate' && !running ? { onRetry: () => void reimport(file) } : {})}
              />
            </li>
          ))}
        </ul>
      ) : null}
      {state.skipped.length > 0 ? (
        <details>
          <summary>
            {formatCount(state.skipped.length)} {state.skipped.length === 1 ? 'file was' : 'files were'} not recognised
            and left out
          </summary>
          <ul className="import-problems">
            {state.skipped.slice(0, SHOWN_SKIPPED).map(({ file, problem }) => (
              <li key={file} title={problem.hint}>
                {file}: {problem.message}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

/** More than a person reads here; the command line lists them all. */
const SHOWN_SKIPPED = 200;

function Running({ state }: { readonly state: ImportState }) {
  const left =
    state.remainingSeconds === null
      ? 'time left unknown'
      : `${formatDuration(Math.ceil(state.remainingSeconds) * 1e9)} left`;
  return (
    <>
      {state.phase === 'looking' ? (
        <progress aria-label="Looking at files" />
      ) : (
        <progress aria-label="Bytes read" value={state.bytesDone} max={Math.max(state.bytesTotal, 1)} />
      )}
      <p className="mono ellipsis" title={state.file}>
        {state.file || 'starting'}
      </p>
      <p className="muted">
        {state.phase === 'looking' ? 'nothing is kept yet; ' : ''}
        {formatBytes(state.bytesDone)} of {formatBytes(state.bytesTotal)}
        {state.phase === 'importing'
          ? `, ${formatCount(state.rows)} rows, ${formatCount(state.rowsPerSecond)} rows/s, ${left}`
          : ''}
      </p>
    </>
  );
}
