import type { Output } from '../../../model/contract/index.ts';
import type { CaseSummary } from '../../../model/storage/case-summary.ts';
import { nanos } from '../../../model/time.ts';
import { recentSheet } from '../../draw/tables/recent-sheet.ts';
import { formatDate, formatDuration, formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatCount, formatRows, readableType } from '../../draw/text/format-value.ts';
import { useCase } from '../../state/case-state.ts';
import { openRecent } from '../../state/session.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { SheetMenu } from '../../widgets/table-sheet.tsx';

type RecentCase = Output<'case.recent'>[number];

/** What was looked at before, with enough of each to know which one it was without opening it. */
export function RecentCases() {
  const recent = useCase((state) => state.recent);
  if (recent.length === 0) return null;
  return (
    <section aria-label="Recent cases" className="recent">
      <SheetMenu label="Recent cases" hasRows sheet={() => recentSheet(recent)} />
      <h2>Recent cases</h2>
      <ul>
        {recent.map((each) => (
          <Recent key={each.id} recent={each} />
        ))}
      </ul>
    </section>
  );
}

/** There is no onset to count from while no case is open. */
function useWallClock(): TimeFormat {
  const format = useTimeFormat();
  return format.mode === 'relative' ? { ...format, mode: 'utc' } : format;
}

function Recent({ recent: { id, name, opened_at_ns, bundle, summary } }: { readonly recent: RecentCase }) {
  const when = useWallClock();
  return (
    <li className="recent-case">
      <button type="button" className="plain" onClick={() => void openRecent(id)}>
        <b className="ellipsis">{name}</b>
        <span className="muted">
          {bundle ? 'came as a bundle, ' : ''}opened {formatDate(nanos(opened_at_ns), when)}{' '}
          {formatTime(nanos(opened_at_ns), when, 0)} {zoneName(when.mode)}
        </span>
      </button>
      {summary ? <CaseSummaryText summary={summary} /> : null}
    </li>
  );
}

function CaseSummaryText({ summary }: { readonly summary: CaseSummary }) {
  const { verdicts, incident_count, layers_present, layers_missing } = summary;
  return (
    <div className="recent-told">
      <Recorded summary={summary} />
      <ul className="recent-layers" aria-label="Layers">
        {layers_present.map((layer) => (
          <li key={layer} className={`layer-${layer}`}>
            {layer === 'gpu' ? 'GPU' : layer}
          </li>
        ))}
        {layers_missing.map((layer) => (
          <li key={layer} className="missing" title="Nothing of this layer was recorded">
            {layer === 'gpu' ? 'GPU' : layer} not recorded
          </li>
        ))}
      </ul>
      {incident_count === 0 ? <p className="muted">No service got worse than its own baseline.</p> : null}
      {verdicts.map(({ service, type, subject, probability }) => (
        <p key={service}>
          {service}: {subject === null ? readableType(type) : `${readableType(type)} on ${subject}`}{' '}
          <LikelihoodBadge probability={probability} />
        </p>
      ))}
      {incident_count > verdicts.length ? (
        <p className="muted">and {formatCount(incident_count - verdicts.length)} more incidents</p>
      ) : null}
      <Sources summary={summary} />
    </div>
  );
}

function Recorded({ summary: { first_ns, last_ns } }: { readonly summary: CaseSummary }) {
  const when = useWallClock();
  if (first_ns === null || last_ns === null) return null;
  return (
    <p className="muted">
      {formatDate(nanos(first_ns), when)} {formatTime(nanos(first_ns), when, 0)} {zoneName(when.mode)}, for{' '}
      {formatDuration(Number(last_ns - first_ns))}
    </p>
  );
}

/** What each source contributed, and what of it could not be read. */
function Sources({ summary: { sources, source_count, rejects } }: { readonly summary: CaseSummary }) {
  const countText = `${formatCount(source_count)} ${source_count === 1 ? 'source' : 'sources'}, ${formatCount(rejects)} ${rejects === 1 ? 'reject' : 'rejects'}`;
  return (
    <details>
      <summary>{countText}</summary>
      <table>
        <thead>
          <tr>
            <th>Source</th>
            <th>Format</th>
            <th>Rows</th>
            <th>Rejects</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ name, format, rows, rejects: lost }) => (
            <tr key={`${name} ${format}`}>
              <td className="ellipsis" title={name}>
                {name}
              </td>
              <td>{format}</td>
              <td>{formatRows(rows)}</td>
              <td className={lost > 0 ? 'some' : ''}>{formatCount(lost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {source_count > sources.length ? (
        <p className="muted">and {formatCount(source_count - sources.length)} more sources</p>
      ) : null}
    </details>
  );
}
