import type { Output } from '../../../model/contract/index.ts';
import type { CaseSummary } from '../../../model/storage/case-summary.ts';
import { nanos } from '../../../model/time.ts';
import { recentSheet } from '../../draw/tables/recent-sheet.ts';
import { formatDate, formatDuration, formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatCount, formatRows, readableType } from '../../draw/text/format-value.ts';
import { forgetRecent, openRecent } from '../../state/case-lifecycle.ts';
import { useRecent } from '../../state/known.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { SheetMenu } from '../../widgets/table-sheet.tsx';
import { messages } from './messages.ts';

type RecentCase = Output<'case.recent'>[number];

/** Recent cases, with enough detail to recognise each without opening it. */
export function RecentCases() {
  const recent = useRecent();
  if (recent.length === 0) return null;
  return (
    <section aria-label={messages.recent.title} className="recent">
      <SheetMenu label={messages.recent.title} hasRows sheet={() => recentSheet(recent)} />
      <h2>{messages.recent.title}</h2>
      <ul>
        {recent.map((each) => (
          <Recent key={each.id} recent={each} />
        ))}
      </ul>
    </section>
  );
}

/** Without an open case, relative times have no origin. */
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
          {bundle ? messages.recent.fromBundle : ''}
          {messages.recent.opened(
            `${formatDate(nanos(opened_at_ns), when)} ${formatTime(nanos(opened_at_ns), when, 0)} ${zoneName(when.mode)}`,
          )}
        </span>
      </button>
      <button
        type="button"
        className="plain forget"
        aria-label={messages.recent.forgetOf(name)}
        title={messages.recent.forget}
        onClick={() => void forgetRecent(id)}
      >
        ×
      </button>
      {summary ? <CaseSummaryText summary={summary} /> : null}
    </li>
  );
}

function CaseSummaryText({ summary }: { readonly summary: CaseSummary }) {
  const { verdicts, incident_count, layers_present, layers_missing } = summary;
  return (
    <div className="recent-facts">
      <Recorded summary={summary} />
      <ul className="recent-layers" aria-label={messages.recent.layers}>
        {layers_present.map((layer) => (
          <li key={layer} className={`layer-${layer}`}>
            {layer === 'gpu' ? messages.gpu : layer}
          </li>
        ))}
        {layers_missing.map((layer) => (
          <li key={layer} className="missing" title={messages.recent.layerMissing}>
            {messages.recent.notRecorded(layer === 'gpu' ? messages.gpu : layer)}
          </li>
        ))}
      </ul>
      {incident_count === 0 ? <p className="muted">{messages.recent.noIncident}</p> : null}
      {verdicts.map(({ service, type, subject, probability, tied }) => (
        <p key={service}>
          {service}: {subject === null ? readableType(type) : messages.on(readableType(type), subject)}{' '}
          {tied > 0 ? (
            <span className="muted">{messages.recent.tied(tied)}</span>
          ) : (
            <LikelihoodBadge probability={probability} />
          )}
        </p>
      ))}
      {incident_count > verdicts.length ? (
        <p className="muted">{messages.recent.moreIncidents(formatCount(incident_count - verdicts.length))}</p>
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
      {messages.recent.extent(
        `${formatDate(nanos(first_ns), when)} ${formatTime(nanos(first_ns), when, 0)} ${zoneName(when.mode)}`,
        formatDuration(Number(last_ns - first_ns)),
      )}
    </p>
  );
}

/** Rows and rejects of each data source. */
function Sources({ summary: { sources, source_count, rejects } }: { readonly summary: CaseSummary }) {
  const countText = `${formatCount(source_count)} ${source_count === 1 ? messages.recent.source : messages.recent.sources}, ${formatCount(rejects)} ${rejects === 1 ? messages.recent.reject : messages.recent.rejects}`;
  return (
    <details>
      <summary>{countText}</summary>
      <table>
        <thead>
          <tr>
            <th>{messages.columns.source}</th>
            <th>{messages.columns.format}</th>
            <th>{messages.columns.rows}</th>
            <th>{messages.columns.rejects}</th>
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
        <p className="muted">{messages.recent.moreSources(formatCount(source_count - sources.length))}</p>
      ) : null}
    </details>
  );
}
