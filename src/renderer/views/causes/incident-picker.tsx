import type { IncidentView } from '../../../model/contract/index.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import { type JudgedVerdict, judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import { bySharedCause, type NamedIncident, type SharedCause } from '../../../model/incident/shared-causes.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatTime } from '../../draw/text/format-time.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { selectIncident, useFocus } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { subjectOf } from './headline-text.ts';
import { messages } from './messages.ts';

type Named = NamedIncident & Pick<JudgedVerdict, 'undecided'> & { readonly view: IncidentView };

/** Incidents with what each names as its cause, by the investigator or computed, those of one cause together. */
function useSharedCauses(incidents: readonly IncidentView[]): SharedCause<Named>[] {
  const annotations = useAnnotationList();
  return bySharedCause(
    incidents.map((view) => ({
      view,
      incident: view.incident,
      ...namedCause(judgedVerdict(view.incident, annotations)),
    })),
  );
}

const namedCause = ({ leading, undecided }: JudgedVerdict) => ({ leading, undecided });

const causeOf = ({ cause, members }: SharedCause<Named>): string =>
  members.some(({ undecided }) => undecided.length > 0)
    ? messages.overview.undecided
    : cause?.subject
      ? messages.on(readableType(cause.type), cause.subject.name ?? cause.subject.id)
      : '';

/** Services that suffer from one cause stand under it: they are one incident. */
export function IncidentPicker({ incidents }: { readonly incidents: readonly IncidentView[] }) {
  const format = useTimeFormat();
  const days = new Set(incidents.map(({ onset_ns }) => formatDate(nanos(onset_ns), format)));
  return (
    <fieldset className="incident-picker" aria-label={messages.overview.incidents}>
      {useSharedCauses(incidents).map((group) =>
        group.cause === null ? (
          group.members.map((one) => <Choice key={one.view.incident.id} named={one} withDate={days.size > 1} />)
        ) : (
          <fieldset key={group.members[0]?.view.incident.id} className="incident-group" aria-label={causeOf(group)}>
            <p className="incident-cause">
              <span className="ellipsis">{causeOf(group)}</span>
              <span className="muted">{messages.overview.affected(group.members.length)}</span>
            </p>
            {group.members.map((one) => (
              <Choice key={one.view.incident.id} named={one} withDate={days.size > 1} />
            ))}
          </fieldset>
        ),
      )}
    </fieldset>
  );
}

function Choice({
  named: { view, leading, undecided },
  withDate,
}: {
  readonly named: Named;
  readonly withDate: boolean;
}) {
  const selectedIncident = useFocus((focus) => focus.incident);
  const format = useTimeFormat();
  return (
    <button
      type="button"
      data-testid="incident"
      aria-pressed={view.incident.id === selectedIncident}
      className="incident-choice"
      onClick={() => selectIncident(view)}
    >
      <span className="ellipsis">{impactedText(view.incident)}</span>
      <span className="muted">{formatTime(nanos(view.onset_ns), { ...format, withDate }, 0)}</span>
      <span className="muted ellipsis">
        {undecided.length > 0 ? messages.overview.undecided : leading ? subjectOf(leading) : messages.overview.noCause}
      </span>
    </button>
  );
}

/** Under the headline: what else suffers from the cause of the incident. */
export function SharesCause({
  view,
  incidents,
}: {
  readonly view: IncidentView;
  readonly incidents: readonly IncidentView[];
}) {
  const group = useSharedCauses(incidents).find(({ members }) => members.some((one) => one.view === view));
  if (!group?.cause) return null;
  const others = group.members.filter((one) => one.view !== view).map((one) => impactedText(one.view.incident));
  return <p>{messages.overview.alsoAffected(others)}</p>;
}
