import { formatDuration } from '../draw/text/format-time.ts';
import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { cancelImport, reimport } from '../state/import-flow.ts';
import { dismissImport, type ImportState, useImport } from '../state/import-state.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { messages } from './messages/import.ts';

/** Progress of an import, and afterwards the files that could not be read. */
export function ImportPanel() {
  const state = useImport();
  if (state.phase === 'idle' || state.phase === 'choosing') return null;
  const running = state.phase !== 'done';
  return (
    <section
      className="import-panel"
      data-testid="import-progress"
      aria-label={messages.progress.label}
      aria-live="polite"
    >
      <header>
        <h2>
          {running
            ? state.phase === 'importing'
              ? messages.progress.importing
              : state.phase === 'inspecting'
                ? messages.progress.inspecting(formatCount(state.inspectedFiles))
                : messages.progress.uploading
            : messages.progress.imported(state.imported)}
        </h2>
        {running ? (
          <button type="button" data-testid="import-cancel" onClick={cancelImport}>
            {messages.cancel}
          </button>
        ) : (
          <button type="button" onClick={dismissImport}>
            {messages.progress.close}
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
                retry={messages.progress.importAgain}
                {...(problem.code === 'import.duplicate' && !running ? { onRetry: () => void reimport(file) } : {})}
              />
            </li>
          ))}
        </ul>
      ) : null}
      {state.skipped.length > 0 ? (
        <details>
          <summary>{messages.progress.skipped(state.skipped.length, formatCount(state.skipped.length))}</summary>
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

/** More than this is not readable here; the command line lists all. */
const SHOWN_SKIPPED = 200;

function Running({ state }: { readonly state: ImportState }) {
  const left =
    state.remainingSeconds === null
      ? messages.progress.timeUnknown
      : messages.progress.timeLeft(formatDuration(Math.ceil(state.remainingSeconds) * 1e9));
  return (
    <>
      {state.phase === 'inspecting' ? (
        <progress aria-label={messages.progress.inspectingFiles} />
      ) : (
        <progress
          aria-label={messages.progress.bytesRead}
          value={state.bytesDone}
          max={Math.max(state.bytesTotal, 1)}
        />
      )}
      <p className="mono ellipsis" title={state.file}>
        {state.file || messages.progress.starting}
      </p>
      <p className="muted">
        {state.phase === 'inspecting' ? messages.progress.nothingStored : ''}
        {messages.progress.bytes(formatBytes(state.bytesDone), formatBytes(state.bytesTotal))}
        {state.phase === 'importing'
          ? messages.progress.rows(formatCount(state.rows), formatCount(state.rowsPerSecond), left)
          : ''}
      </p>
    </>
  );
}
