import type { IncidentView } from '../../../model/contract/index.ts';
import type { Hypothesis } from '../../../model/incident/incident.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatTime } from '../../draw/text/format-time.ts';
import { useCase, useIncident } from '../../state/case-state.ts';
import { loadIncidents } from '../../state/conclusions.ts';
import { selectIncident, useFocus } from '../../state/focus.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { ChainList } from './chain-list.tsx';
import { Comparison, useCompared } from './comparison.tsx';
import { causeSentence, impactRows, impactSentence, isLeadOnly, subjectOf } from './headline-text.ts';
import { HypothesisCard } from './hypothesis-card.tsx';
import { NoticeList } from './notice-list.tsx';
import { WhatIfPanel } from './what-if.tsx';
import './causes.css';

export function Causes({ wide = false }: { readonly wide?: boolean }) {
  const incidents = useCase((state) => state.incidents);
  const problem = useCase((state) => state.incidentsProblem);
  const selected = useIncident(useFocus((focus) => focus.incident));
  return (
    <section className={`view causes${wide ? ' wide' : ''}`} aria-label="Causes">
      {problem ? <ProblemNote problem={problem} what="Causes" onRetry={() => void loadIncidents()} /> : null}
      <NoticeList />
      {incidents === null ? <Progress label="Looking for impacts and their causes" /> : null}
      {incidents?.length === 0 && !problem ? <NoIncident /> : null}
      {incidents && incidents.length > (selected ? 1 : 0) ? <IncidentPicker incidents={incidents} /> : null}
      {incidents && incidents.length > 0 && !selected ? (
        <p className="muted">Choose an incident to see what caused it.</p>
      ) : null}
      {selected ? <IncidentDetail view={selected} wide={wide} single={incidents?.length === 1} /> : null}
    </section>
  );
}

function NoIncident() {
  const missing = useCase((state) => state.info?.layers_missing ?? []);
  return (
    <div className="empty">
      <h2>No impact found</h2>
      <p className="muted">
        No service did worse than its own baseline in what was recorded. Spans or service metrics that reach into the
        incident, with a few minutes before it, would make one visible
        {missing.length > 0 ? `; nothing was recorded for: ${missing.join(', ')}` : ''}.
      </p>
    </div>
  );
}

function IncidentPicker({ incidents }: { readonly incidents: readonly IncidentView[] }) {
  const selectedIncident = useFocus((focus) => focus.incident);
  const format = useTimeFormat();
  const days = new Set(incidents.map(({ onset_ns }) => formatDate(nanos(onset_ns), format)));
  return (
    <fieldset className="incident-picker" aria-label="Incidents">
      {incidents.map((view) => {
        const best = view.incident.hypotheses[0];
        return (
          <button
            key={view.incident.id}
            type="button"
            data-testid="incident"
            aria-pressed={view.incident.id === selectedIncident}
            className="incident-choice"
            onClick={() => selectIncident(view)}
          >
            <span className="ellipsis">{view.service}</span>
            <span className="muted">{formatTime(nanos(view.onset_ns), { ...format, withDate: days.size > 1 }, 0)}</span>
            <span className="muted ellipsis">{best ? subjectOf(best) : 'no cause'}</span>
          </button>
        );
      })}
    </fieldset>
  );
}

interface IncidentDetailProps {
  readonly view: IncidentView;
  readonly wide: boolean;
  readonly single: boolean;
}

function IncidentDetail({ view, wide, single }: IncidentDetailProps) {
  const { incident } = view;
  const most = Math.max(
    1,
    ...incident.hypotheses.flatMap(({ evidence }) => evidence.map(({ weight }) => Math.abs(weight))),
  );
  const compared = useCompared(view);
  if (wide && compared) return <Comparison view={view} pair={compared} most={most} />;
  return (
    <div className="verdict" data-testid={single ? 'incident' : undefined}>
      <div className="verdict-left">
        <Headline view={view} />
        <WhatIfPanel view={view} />
        <h3>Chain</h3>
        <ChainList view={view} />
        <ImpactTable view={view} />
        {wide ? <Reservations view={view} /> : null}
      </div>
      <div className="verdict-right">
        <h3 title="Probabilities of all hypotheses add up to one">Hypotheses</h3>
        {incident.hypotheses.map((hypothesis) => (
          <HypothesisCard
            key={`${incident.id} ${hypothesis.rank}`}
            incident={incident.id}
            hypothesis={hypothesis}
            eventRef={eventRefOf(view, hypothesis)}
            most={most}
          />
        ))}
        {incident.hypotheses.length === 0 ? <p className="muted">No hypothesis was considered.</p> : null}
        {wide ? null : <Reservations view={view} />}
      </div>
    </div>
  );
}

const eventRefOf = ({ incident, steps }: IncidentView, { event_id }: Hypothesis): string | null => {
  if (event_id === null) return null;
  const ref = steps[incident.causal_chain.findIndex((step) => step.event_id === event_id)]?.ref;
  return ref?.startsWith('event:') ? ref : null;
};

function Headline({ view }: { readonly view: IncidentView }) {
  const best = view.incident.hypotheses[0];
  return (
    <header className="headline">
      <h2>{causeSentence(view)}</h2>
      <p className="headline-sure">
        {best && best.type !== 'insufficient_evidence' ? <LikelihoodBadge probability={best.probability} /> : null}
        {best && isLeadOnly(view) ? <span className="caution">▲ the chain is a lead, not a finding</span> : null}
      </p>
      <p>{impactSentence(view)}</p>
    </header>
  );
}

function ImpactTable({ view }: { readonly view: IncidentView }) {
  const rows = impactRows(view.incident.impact);
  const cost = view.incident.impact.estimated_cost_impact_usd;
  if (rows.length === 0) return null;
  return (
    <table className="impact-table">
      <caption>Impact on {view.service}</caption>
      <thead>
        <tr>
          <th scope="col">measure</th>
          <th scope="col" className="number">
            baseline
          </th>
          <th scope="col" className="number">
            first bad
          </th>
          <th scope="col" className="number">
            peak
          </th>
          <th scope="col" className="number">
            change
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            {keyed([row.baseline, row.first, row.peak, row.change]).map(({ key, value: text }) => (
              <td key={key} className={`number${text === 'unknown' ? ' muted' : ''}`}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {cost === null ? null : (
        <tfoot>
          <tr>
            <th scope="row">cost</th>
            <td className="number" colSpan={4}>
              {cost.toFixed(2)} USD, estimated
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** What this verdict does not know. */
function Reservations({ view }: { readonly view: IncidentView }) {
  const missing = useCase((state) => state.info?.layers_missing ?? []);
  const { warnings, unmapped_devices: unmapped } = view.incident;
  if (missing.length + warnings.length + unmapped.length === 0) return null;
  return (
    <section className="reservations" aria-label="What this verdict does not know">
      <h3>What this does not know</h3>
      <ul>
        {missing.length > 0 ? (
          <li>Not recorded at all: {missing.join(', ')}. A cause there would be invisible.</li>
        ) : null}
        {unmapped.length > 0 ? <li>Not in the topology, so not tied to any service: {unmapped.join(', ')}.</li> : null}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  );
}
