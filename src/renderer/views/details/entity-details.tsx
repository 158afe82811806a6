import type { Lane } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { formatCount, unitSymbol } from '../../draw/format-value.ts';
import { useCase } from '../../state/case-state.ts';
import { useFocus } from '../../state/focus.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';

/** What is selected when no record is: an entity, or nothing at all. */
export function EntityDetails() {
  const entity = useFocus((focus) => focus.entities[0]);
  const all = useCase((state) => state.lanes);
  const drawerOpen = usePreferences((state) => state.drawerOpen);
  if (entity === undefined) return <NothingSelected />;
  const lanes = all.filter((lane) => `${lane.entity_kind}:${lane.entity_id}` === entity);
  const first = lanes[0];
  return (
    <div className="details" data-testid="details">
      <h2>{first?.entity_id ?? entity}</h2>
      <dl className="facts">
        <dt>kind</dt>
        <dd>{first?.entity_kind ?? 'unknown'}</dd>
        <dt>layer</dt>
        <dd>{first?.layer ?? 'unknown'}</dd>
        <dt>in the story</dt>
        <dd>{lanes.some((lane) => lane.involved) ? 'takes part in a chain or an impact' : 'not involved in any incident'}</dd>
      </dl>
      {drawerOpen ? null : <button type="button" onClick={() => prefer({ drawerOpen: true })}>Show its rows</button>}
      <h3>Recorded about it</h3>
      <table className="fields">
        <tbody>
          {lanes.map((lane) => <LaneFacts key={lane.id} lane={lane} />)}
        </tbody>
      </table>
    </div>
  );
}

function LaneFacts({ lane }: { readonly lane: Lane }) {
  const unit = unitSymbol(lane.unit);
  const worst = lane.worst_severity === null ? '' : `, worst ${severities[lane.worst_severity] ?? 'low'}`;
  return (
    <tr>
      <th scope="row">{lane.kind === 'events' ? 'events' : lane.metric}{lane.kind === 'metric' && unit !== '' ? ` (${unit})` : ''}</th>
      <td>{formatCount(lane.count)} {lane.kind === 'events' ? 'events' : 'samples'}{worst}</td>
    </tr>
  );
}

function NothingSelected() {
  return <p className="empty muted">Nothing is selected. Click a mark, a chain step or an evidence to see its whole record; [ and ] step through the chain.</p>;
}
