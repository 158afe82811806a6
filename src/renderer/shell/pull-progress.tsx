import { visibleLine } from '../../base/visible-text.ts';
import type { PullEvent } from '../../model/contract/index.ts';
import { formatDuration } from '../draw/text/format-time.ts';
import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { useArchive } from '../state/archive-draft.ts';
import { messages } from './messages/archive.ts';

type Planned = Extract<PullEvent, { kind: 'plan' }>['queries'][number];

/** A bucket has a query for each object. */
const MOST_SHOWN = 50;
const MOST_MISSING = 20;

/** The sum of what is known; null where nothing is. */
function sumOf(queries: readonly Planned[], member: 'rows' | 'bytes'): number | null {
  const known = queries.map((query) => query[member]).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}

/** What a pull would be, as the archive estimates it. */
export function PullPlan() {
  const { plan, rowsPerS } = useArchive();
  if (!plan) return null;
  const { queries } = plan;
  const slices = queries.reduce((sum, query) => sum + query.slices, 0);
  const [rows, bytes] = [sumOf(queries, 'rows'), sumOf(queries, 'bytes')];
  const { planned } = messages;
  const total = planned.total(
    formatCount(slices),
    rows === null ? planned.noRows : planned.rows(formatCount(rows)),
    bytes === null ? planned.noBytes : planned.bytes(formatBytes(bytes)),
  );
  return (
    <section aria-label={planned.title} className="archive-plan" data-testid="pull-plan">
      <h3>{planned.title}</h3>
      <p role="status">{queries.length === 0 ? planned.isNothing : slices === 0 ? planned.isKnown : total}</p>
      {slices === 0 ? null : <p className="muted">{durationText(rows, rowsPerS)}</p>}
      {queries.length === 0 ? null : <PlanTable queries={queries} />}
    </section>
  );
}

/** An archive states no speed: it is that of the last pull. */
const durationText = (rows: number | null, rowsPerS: number | null): string =>
  rows === null || rowsPerS === null
    ? messages.planned.noDuration
    : messages.planned.duration(formatDuration(Math.ceil(rows / rowsPerS) * 1e9), formatCount(rowsPerS));

function PlanTable({ queries }: { readonly queries: readonly Planned[] }) {
  const { planned } = messages;
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>{planned.query}</th>
            <th>{planned.slices}</th>
            <th>{planned.columnRows}</th>
            <th>{planned.size}</th>
            <th>{planned.present}</th>
          </tr>
        </thead>
        <tbody>
          {queries.slice(0, MOST_SHOWN).map(({ query, slices, rows, bytes, present }) => (
            <tr key={query}>
              <td className="mono">{visibleLine(query)}</td>
              <td>{formatCount(slices)}</td>
              <td>{rows === null ? planned.unknown : formatCount(rows)}</td>
              <td>{bytes === null ? planned.unknown : formatBytes(bytes)}</td>
              <td>{Math.floor(present * 100)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
      {queries.length > MOST_SHOWN ? (
        <p className="muted">{planned.more(formatCount(queries.length - MOST_SHOWN))}</p>
      ) : null}
    </>
  );
}

/** How far a pull is. */
export function PullProgress() {
  const { progress, running, cancelled } = useArchive();
  if (cancelled !== null) return <p role="status">{messages.cancelled(formatCount(cancelled))}</p>;
  if (running?.what !== 'pull') return null;
  const { label, slices, left, repeated } = messages.progress;
  return (
    <section className="progress" aria-live="polite" data-testid="pull-progress">
      {progress ? (
        <progress aria-label={label} value={progress.done} max={Math.max(progress.slices, 1)} />
      ) : (
        <progress aria-label={label} />
      )}
      {progress ? (
        <p>
          {slices(
            formatCount(progress.done),
            formatCount(progress.slices),
            formatCount(progress.rows),
            formatBytes(progress.bytes),
          )}
          {progress.remaining_s === null ? '' : `, ${left(formatDuration(Math.ceil(progress.remaining_s) * 1e9))}`}
        </p>
      ) : null}
      {progress && progress.repeats > 0 ? (
        <p className="muted">{repeated(formatCount(progress.repeats), visibleLine(progress.reason))}</p>
      ) : null}
    </section>
  );
}

/** What could not be pulled. */
export function PullMissing() {
  const { missing, done } = useArchive();
  if (missing.length === 0) return null;
  return (
    <section className="problem" role="alert" data-testid="pull-missing">
      <p>▲ {messages.missing.title(formatCount(missing.length))}</p>
      <ul>
        {missing.slice(0, MOST_MISSING).map(({ query, from_ns, problem: { message, hint } }) => (
          <li key={`${query} ${from_ns}`}>
            <span className="mono">{visibleLine(query)}</span>: {visibleLine(message)}
            {hint === undefined ? null : <span className="muted"> {visibleLine(hint)}</span>}
          </li>
        ))}
      </ul>
      {done && done.left > 0 ? <p>{messages.missing.left(formatCount(done.left))}</p> : null}
      <p className="muted">{messages.missing.again}</p>
    </section>
  );
}
