import { useMemo } from 'react';
import type { IncidentView, Lane, LaneData, TopologyNode } from '../../../model/contract/index.ts';
import { useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { useFocus } from '../../state/focus.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { impactState, quiet, type StateWindow, stateAt, type ThingState, worse } from './playhead-state.ts';

const BUCKETS = 400;
const MOST_LANES = 2000;

export interface States {
  /** Of a thing at an instant. */
  of(node: TopologyNode, at: bigint): ThingState;
  readonly slow: boolean;
}

interface Known {
  readonly window: StateWindow;
  readonly lanes: ReadonlyMap<string, LaneData>;
}

const noIncidents: readonly IncidentView[] = [];

/** Events of everything on the map within the window on screen: scrubbing asks nothing. */
export function useStates(things: readonly TopologyNode[]): States {
  const all = useCase((state) => state.lanes);
  const incidents = useCase((state) => state.incidents) ?? noIncidents;
  const revision = useCase((state) => state.revision);
  const window = useFocus((focus) => focus.window);
  const known = useMemo(
    () => new Map(all.filter(({ kind }) => kind === 'events').map((lane) => [lane.id, lane])),
    [all],
  );
  const lanes = things
    .map(laneOf)
    .filter((lane) => known.has(lane))
    .slice(0, MOST_LANES);
  const key = `${revision} ${window.startNs} ${window.endNs} ${lanes.join('\n')}`;
  const { value, slow } = useAnswer<Known>(key, async (signal) => {
    const asked = { start_ns: window.startNs, end_ns: window.endNs, buckets: BUCKETS, lanes };
    const answers = lanes.length === 0 ? [] : await client().call('timeline.data', asked, signal);
    return { window, lanes: new Map(answers.map((data) => [data.lane, data])) };
  });
  return useMemo(
    () => ({ slow, of: (node, at) => stateOf(node, { at, value, known, incidents }) }),
    [slow, value, known, incidents],
  );
}

const laneOf = ({ key }: TopologyNode): string => `events:${key}`;

interface Facts {
  readonly at: bigint;
  readonly value: Known | undefined;
  readonly known: ReadonlyMap<string, Lane>;
  readonly incidents: readonly IncidentView[];
}

function stateOf(node: TopologyNode, { at, value, known, incidents }: Facts): ThingState {
  const lane = laneOf(node);
  const told = value
    ? stateAt(value.lanes.get(lane), value.window, at, known.get(lane)?.worst_severity ?? null)
    : quiet;
  return node.kind === 'service' || node.kind === 'job' ? worse(told, impactState(incidents, node.id, at)) : told;
}
