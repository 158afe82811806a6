import type { FindingEvidence, FindingView } from '../../../model/incident/finding.ts';
import { nanos } from '../../../model/time.ts';
import { entityKeyOf, severityGlyph, verdictText } from '../../draw/text/finding-text.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { entityTarget, recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { selectEntity } from '../../state/focus.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { RecordLinks } from '../../widgets/record-links.tsx';
import { findingActions } from './finding-actions.ts';
import { messages } from './messages.ts';

const MOST_ENTITIES = 24;

/** One finding with its evidence; each record and entity is a link. */
export function FindingDetail({ finding }: { readonly finding: FindingView }) {
  const format = useTimeFormat();
  const { title, severity, headline, start_ns, end_ns, evidence, contradictions, missing, remediation, verdict } =
    finding;
  const length = Number(end_ns - start_ns);
  return (
    <section className="finding" aria-label={messages.detail.label}>
      <h2>
        <span className={`finding-severity ${severity}`}>
          <span aria-hidden="true">{severityGlyph[severity]}</span> {severity}
        </span>{' '}
        {title} <span className={`finding-verdict ${verdict}`}>{verdictText(finding)}</span>
      </h2>
      <p className="finding-headline">{headline}</p>
      <p className="muted number finding-when">
        {formatInstant(nanos(start_ns), format)}
        {length > 0 ? `, ${formatDuration(length)}` : ''}
      </p>
      <div className="button-row">
        {findingActions(finding, format).map(({ id, title: name, disabled, run }) => (
          <button key={id} type="button" disabled={disabled ?? false} onClick={run}>
            {name}
          </button>
        ))}
      </div>
      <EntityList finding={finding} />
      <h3>{messages.detail.evidence}</h3>
      <ul className="finding-lines">
        {evidence.map((line) => (
          <EvidenceLine key={`${line.text} ${line.refs[0]}`} line={line} />
        ))}
      </ul>
      {contradictions.length > 0 ? (
        <>
          <h3 className="caution">{messages.detail.contradictions}</h3>
          <ul className="finding-lines" data-testid="contradictions">
            {contradictions.map((line) => (
              <EvidenceLine key={`${line.text} ${line.refs[0]}`} line={line} />
            ))}
          </ul>
        </>
      ) : null}
      {missing.length > 0 ? (
        <>
          <h3>{messages.detail.missing}</h3>
          <ul className="finding-lines">
            {missing.map(({ layer, text }) => (
              <li key={text}>
                <b>{layer}</b>: {text}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <Estimates estimates={finding.estimates} />
      <h3>{messages.detail.toDo}</h3>
      <ul className="finding-lines">
        {remediation.map(({ text, source }) => (
          <li key={text}>
            {text} <span className="muted">{source}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the numbers imply: not measured, so each with its assumptions and with what would disprove it. */
function Estimates({ estimates }: Pick<FindingView, 'estimates'>) {
  if (estimates.length === 0) return null;
  return (
    <>
      <h3>{messages.detail.estimate}</h3>
      <ul className="finding-lines">
        {estimates.map(({ text, assumes, disproved_by }) => (
          <li key={text}>
            {text} <span className="muted">{messages.detail.assumes(assumes, disproved_by)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function EntityList({ finding: { entities } }: { readonly finding: FindingView }) {
  const more = entities.length - MOST_ENTITIES;
  if (entities.length === 0) return <p className="muted">{messages.detail.noEntity}</p>;
  return (
    <p className="finding-entities">
      <span className="muted">{messages.detail.about}</span>
      {entities.slice(0, MOST_ENTITIES).map((entity) => {
        const entityKey = entityKeyOf(entity);
        return (
          <button
            key={entityKey}
            type="button"
            className="chip"
            title={messages.detail.entityTitle}
            {...withActions(() => entityTarget(entityKey))}
            onClick={() => {
              selectEntity(entityKey);
              showDetails();
            }}
          >
            {entity.name ?? `${entity.kind} ${entity.id}`}
          </button>
        );
      })}
      {more > 0 ? <span className="muted">{messages.detail.more(more)}</span> : null}
    </p>
  );
}

function EvidenceLine({ line: { text, refs } }: { readonly line: FindingEvidence }) {
  const [first, ...others] = refs;
  if (first === undefined) return <li>{text}</li>;
  return (
    <li {...withActions(() => recordTarget(text, [first, ...others]))}>
      <RecordLinks text={text} refs={[first, ...others]} />
    </li>
  );
}
