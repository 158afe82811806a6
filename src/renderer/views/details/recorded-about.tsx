import type { Lane } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { formatCount, unitSymbol } from '../../draw/text/format-value.ts';
import { countedWhat } from '../../draw/timeline/lane-text.ts';
import { useLanes } from '../../state/known.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { messages } from './messages.ts';

/** The lanes with data of an entity. */
export function RecordedAbout({ entity }: { readonly entity: string }) {
  const all = useLanes();
  const drawerOpen = usePreferences((state) => state.drawerOpen);
  const lanes = all.filter((lane) => `${lane.entity_kind}:${lane.entity_id}` === entity);
  return (
    <>
      <h3>{messages.recorded}</h3>
      {lanes.length === 0 ? <p className="muted">{messages.nothingRecorded}</p> : null}
      <table className="fields">
        <tbody>
          {lanes.map((lane) => (
            <LaneFacts key={lane.id} lane={lane} />
          ))}
        </tbody>
      </table>
      {drawerOpen || lanes.length === 0 ? null : (
        <div className="button-row">
          <button type="button" onClick={() => prefer({ drawerOpen: true })}>
            {messages.showRows}
          </button>
        </div>
      )}
    </>
  );
}

function LaneFacts({ lane }: { readonly lane: Lane }) {
  const unit = unitSymbol(lane.unit);
  const worst = lane.worst_severity === null ? '' : messages.worst(severities[lane.worst_severity] ?? 'low');
  const name = lane.metric || lane.kind;
  return (
    <tr>
      <th scope="row">
        {name}
        {lane.kind === 'metric' && unit !== '' ? ` (${unit})` : ''}
      </th>
      <td>
        {formatCount(lane.count)} {countedWhat(lane)}
        {worst}
      </td>
    </tr>
  );
}
