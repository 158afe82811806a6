import type { IncidentView } from '../../../model/contract/index.ts';
import { deviceName } from '../../../model/incident/chain-folds.ts';
import { contradictionText } from '../../../model/incident/contradicted-reading.ts';
import { type Hypothesis, impactedText } from '../../../model/incident/incident.ts';
import { judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import { nanos } from '../../../model/time.ts';
import { formatOffset } from '../../draw/text/format-time.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useAnnotationList, useInfo } from '../../state/known.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { ChainList } from './chain-list.tsx';
import { Comparison, useCompared } from './comparison.tsx';
import { headlineOf, impactRows, impactSentence, isLeadOnly } from './headline-text.ts';
import { HypothesisCard } from './hypothesis-card.tsx';
import { IncidentPicker, SharesCause } from './incident-picker.tsx';
import { IncidentStages } from './incident-stages.tsx';
import { JobLoss } from './job-loss.tsx';
import { messages } from './messages.ts';
import { NoticeList } from './notice-list.tsx';
import { WhatIfPanel } from './what-if.tsx';
import './causes.css';

interface CausesProps {
  readonly incidents: readonly IncidentView[];
  readonly wide: boolean;
}

export function Causes({ incidents, wide }: CausesProps) {
  const selectedId = useFocus((focus) => focus.incident);
  const selected = incidents.find(({ incident }) => incident.id === selectedId);
  return (
    <>
      <NoticeList />
      {incidents.length === 0 ? <NoIncident /> : null}
      {incidents.length > (selected ? 1 : 0) ? <IncidentPicker incidents={incidents} /> : null}
      {incidents.length > 0 && !selected ? <p className="muted">{messages.overview.choose}</p> : null}
      {selected ? <IncidentDetail view={selected} incidents={incidents} wide={wide} /> : null}
    </>
  );
}

function NoIncident() {
  const missing = useInfo()?.layers_missing ?? [];
  return (
    <div className="empty">
      <h2>{messages.overview.noImpact}</h2>
      <p className="muted">{messages.overview.noImpactHint(missing)}</p>
    </div>
  );
}

interface IncidentDetailProps extends CausesProps {
  readonly view: IncidentView;
}

function IncidentDetail({ view, incidents, wide }: IncidentDetailProps) {
  const { incident } = view;
  const most = Math.max(
    1,
    ...incident.hypotheses.flatMap(({ evidence }) => evidence.map(({ weight }) => Math.abs(weight))),
  );
  const compared = useCompared(view);
  if (wide && compared) return <Comparison view={view} pair={compared} most={most} />;
  return (
    <div className="verdict" data-testid={incidents.length === 1 ? 'incident' : undefined}>
      <div className="verdict-left">
        <Headline view={view} />
        <SharesCause view={view} incidents={incidents} />
        <WhatIfPanel view={view} />
        <h3>{messages.chain.title}</h3>
        <ChainList view={view} />
        <AlsoAffected view={view} />
        <ImpactTable view={view} />
        <JobLoss view={view} />
        <IncidentStages view={view} />
        {wide ? <Limitations view={view} /> : null}
      </div>
      <div className="verdict-right">
        <h3 title={messages.hypothesis.listTitle}>{messages.hypothesis.list}</h3>
        {incident.hypotheses.map((hypothesis) => (
          <HypothesisCard
            key={`${incident.id} ${hypothesis.rank}`}
            incident={incident.id}
            hypothesis={hypothesis}
            eventRef={eventRefOf(view, hypothesis)}
            most={most}
          />
        ))}
        {incident.hypotheses.length === 0 ? <p className="muted">{messages.hypothesis.none}</p> : null}
        {wide ? null : <Limitations view={view} />}
      </div>
    </div>
  );
}

/** Devices that the same cause reached, and that carry nothing of this service. */
function AlsoAffected({ view: { also_affected: beside, service, onset_ns } }: { readonly view: IncidentView }) {
  if (beside.length === 0) return null;
  return (
    <section aria-label={messages.chain.beside}>
      <h4 title={messages.chain.besideTitle(service)}>{messages.chain.beside}</h4>
      <ul data-testid="also-affected">
        {beside.map(({ ref, time_ns, type, device, name }) => (
          <li key={ref}>
            <button type="button" className="link" onClick={() => select(ref, nanos(time_ns))}>
              {messages.on(readableType(type), deviceName({ name, device }))}
            </button>
            {`, ${formatOffset(Number(time_ns - onset_ns), 1)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

const eventRefOf = ({ incident, steps }: IncidentView, { event_id }: Hypothesis): string | null => {
  if (event_id === null) return null;
  const ref = steps[incident.causal_chain.findIndex((step) => step.event_id === event_id)]?.ref;
  return ref?.startsWith('event:') ? ref : null;
};

function Headline({ view }: { readonly view: IncidentView }) {
  const { title, context, hypothesis } = headlineOf(view, judgedVerdict(view.incident, useAnnotationList()));
  return (
    <header className="headline">
      <h2 data-testid="headline">{title}</h2>
      {context === '' ? null : <p className="muted">{context}</p>}
      <p className="headline-sure">
        {hypothesis ? <LikelihoodBadge probability={hypothesis.probability} /> : null}
        {isLeadOnly(view) && context === '' ? <span className="caution">{messages.overview.lead}</span> : null}
      </p>
      <p>{impactSentence(view)}</p>
    </header>
  );
}

function ImpactTable({ view }: { readonly view: IncidentView }) {
  const rows = impactRows(view.incident);
  const cost = view.incident.impact.estimated_cost_impact_usd;
  if (rows.length === 0) return null;
  return (
    <table className="impact-table">
      <caption>{messages.impact.caption(impactedText(view.incident))}</caption>
      <thead>
        <tr>
          <th scope="col">{messages.impact.metric}</th>
          <th scope="col" className="number">
            {messages.impact.baseline}
          </th>
          <th scope="col" className="number">
            {messages.impact.firstAnomaly}
          </th>
          <th scope="col" className="number">
            {messages.impact.peak}
          </th>
          <th scope="col" className="number">
            {messages.impact.change}
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
            <th scope="row">{messages.impact.cost}</th>
            <td className="number" colSpan={4}>
              {messages.impact.estimatedCost(cost.toFixed(2))}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** A warning names no more devices. */
const MOST_IN_SENTENCE = 4;

function Limitations({ view }: { readonly view: IncidentView }) {
  const missing = useInfo()?.layers_missing ?? [];
  const { warnings, unmapped_devices: unlinked } = view.incident;
  if (missing.length + warnings.length + view.unused_events.length === 0) return null;
  return (
    <section className="limitations" aria-label={messages.limitations.label}>
      <h3>{messages.limitations.title}</h3>
      <ul>
        {missing.length > 0 ? <li>{messages.limitations.missingLayers(missing.join(', '))}</li> : null}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      {unlinked.length > MOST_IN_SENTENCE ? (
        <details>
          <summary>{messages.limitations.unlinked(unlinked.length)}</summary>
          <p>{unlinked.toSorted().join(', ')}</p>
        </details>
      ) : null}
      <UnusedEvents view={view} />
    </section>
  );
}

/** What an investigator would ask about: critical, near the onset, and no step of the chain. */
function UnusedEvents({ view: { unused_events: unused, onset_ns } }: { readonly view: IncidentView }) {
  if (unused.length === 0) return null;
  return (
    <>
      <h4>{messages.limitations.unused}</h4>
      <ul>
        {unused.map(({ ref, time_ns, type, device, name, reason, contradiction }) => (
          <li key={ref}>
            <button type="button" className="link" onClick={() => select(ref, nanos(time_ns))}>
              {messages.on(readableType(type), deviceName({ name, device }))}
            </button>
            {`, ${formatOffset(Number(time_ns - onset_ns), 1)}: ${reason}`}
            {contradiction === null ? '' : `; ${messages.contradicted}${contradictionText(contradiction)}`}
          </li>
        ))}
      </ul>
    </>
  );
}
