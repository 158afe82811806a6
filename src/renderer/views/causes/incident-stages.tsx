import type { IncidentView } from '../../../model/contract/index.ts';
import { stagesOfAllText } from '../../../model/incident/incident.ts';
import { useCall } from '../../state/use-answer.ts';
import { StageComparison } from '../../widgets/stage-comparison.tsx';
import { messages } from './messages.ts';

/** Where the time of requests for a model went during the incident, against before; nothing without such requests. */
export function IncidentStages({ view: { onset_earliest_ns, end_ns, incident } }: { readonly view: IncidentView }) {
  const { value } = useCall('stages.list', { from_ns: onset_earliest_ns, to_ns: end_ns });
  if (!value || value.stages.length === 0) return null;
  const ofAll = stagesOfAllText(incident);
  return (
    <>
      <h3>{messages.stages}</h3>
      {ofAll === '' ? null : <p className="muted">{ofAll}</p>}
      <StageComparison {...value} label={messages.stagesLabel} />
    </>
  );
}
