import type { Lane } from '../../../model/contract/index.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import { QUERIES } from '../../../model/lane-kind.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { showView } from '../../state/case-state.ts';
import { annotationList } from '../../state/known.ts';
import { metricLanes, removeMetricLane } from '../../state/metric-lanes.ts';
import { pinQuery, putSql, runSql, type SavedQuery, savedQueries } from '../../state/sql.ts';
import { copyText } from '../../state/toasts.ts';
import { searchTraces } from '../../state/traces.ts';
import { messages } from './messages.ts';

/** Id of the annotation behind a lane; null for recorded lanes. */
export const queryOf = ({ layer, id }: Lane): string | null =>
  layer === QUERIES ? id.slice(id.indexOf(':') + 1, id.lastIndexOf(':')) : null;

export function isQueryRef(lane: Lane, ref: string | null): boolean {
  const query = queryOf(lane);
  return query !== null && ref === annotationRef(query);
}

const saved = (id: string): SavedQuery | undefined => savedQueries(annotationList()).find((one) => one.id === id);

/** Actions of a lane that shows a query. */
export function queryTarget(lane: Lane, id: string, more: readonly Action[]): ActionTarget {
  const search = metricLanes(annotationList()).find((one) => one.id === id);
  const open = () => {
    if (search) return searchTraces(search.query);
    const query = saved(id);
    if (!query) return;
    putSql(query.sql, id);
    showView('sql');
    void runSql();
  };
  const unpin = () => {
    if (search) return void removeMetricLane(search);
    const query = saved(id);
    if (query) void pinQuery(query, null);
  };
  const ref = annotationRef(id);
  return {
    label: lane.entity_id,
    actions: [
      { id: 'open', title: search ? messages.actions.openSearch : messages.actions.openSql, keys: 'G', run: open },
      ...more,
      { id: 'unpin', title: messages.actions.removeLane, keys: 'X', run: unpin },
      {
        id: 'id',
        title: messages.actions.copyId,
        keys: 'Y',
        note: ref,
        run: () => void copyText(ref, messages.evidenceId),
      },
    ],
  };
}
