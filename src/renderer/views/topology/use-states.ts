import { useMemo } from 'react';
import type { IncidentView, Lane, LaneData, TopologyNode } from '../../../model/contract/index.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { client } from '../../state/client.ts';
import { useIncidents, useLanes } from '../../state/known.ts';
import { useAnswer, useCall } from '../../state/use-answer.ts';
import { useSteadyWindow } from '../../state/use-settled-window.ts';
import {
  type EntityState,
  findingState,
  impactState,
  loading,
  quiet,
  type StateWindow,
  stateAt,
  unread,
  worse,
} from './playhead-state.ts';

const BUCKETS = 400;
const LANES_PER_CALL = 2000;

export interface States {
  /** State of an entity at an instant. */
  of(node: TopologyNode, at: bigint): EntityState;
  readonly slow: boolean;
}

interface Known {
  readonly window: StateWindow;
  readonly lanes: ReadonlyMap<string, LaneData>;
}

const noIncidents: readonly IncidentView[] = [];

/** Events of all entities on the map in the window, so that scrubbing needs no queries. */
export function useStates(nodes: readonly TopologyNode[]): States {
  const all = useLanes();
  const incidents = useIncidents() ?? noIncidents;
  const window = useSteadyWindow();
  const known = useMemo(
    () => new Map(all.filter(({ kind }) => kind === 'events').map((lane) => [lane.id, lane])),
    [all],
  );
  const lanes = nodes.map(laneOf).filter((lane) => known.has(lane));
  const { value, isLoading, slow } = useAnswer<Known>(
    ['states', window, lanes],
    async (signal) => {
      const queryInput = { start_ns: window.startNs, end_ns: window.endNs, buckets: BUCKETS };
      const answers: LaneData[] = [];
      for (let from = 0; from < lanes.length; from += LANES_PER_CALL)
        answers.push(
          ...(await client().call(
            'timeline.data',
            { ...queryInput, lanes: lanes.slice(from, from + LANES_PER_CALL) },
            signal,
          )),
        );
      return { window, lanes: new Map(answers.map((data) => [data.lane, data])) };
    },
    ['event'],
  );
  const listed = useCall('patterns.list', {}, ['event', 'point']);
  const findings = listed.value?.findings;
  const ofGpus = useMemo(() => findings?.filter(isOfGpus), [findings]);
  const missing = listed.isLoading ? loading : unread;
  return useMemo(
    () => ({
      slow,
      of: (node, at) => stateOf(node, { at, value, isLoading, known, incidents, findings: ofGpus, missing }),
    }),
    [slow, value, isLoading, known, incidents, ofGpus, missing],
  );
}

/** Worst first, as they come. */
const isOfGpus = ({ entities }: FindingView): boolean => entities.some(({ kind }) => kind === 'gpu');

const laneOf = ({ key }: TopologyNode): string => `events:${key}`;

interface Facts {
  readonly at: bigint;
  readonly value: Known | undefined;
  /** A window is being read: what is not in `value` may come. */
  readonly isLoading: boolean;
  readonly known: ReadonlyMap<string, Lane>;
  readonly incidents: readonly IncidentView[];
  /** Undefined: not read; then `missing` is the state of a GPU without events. */
  readonly findings: readonly FindingView[] | undefined;
  readonly missing: EntityState;
}

function stateOf(node: TopologyNode, facts: Facts): EntityState {
  const { at, value, isLoading, known, incidents, findings } = facts;
  const lane = laneOf(node);
  const worst = known.get(lane)?.worst_severity ?? null;
  const stated = value ? stateAt(value.lanes.get(lane), value.window, at, worst) : unread;
  const read = stated === unread && isLoading ? loading : stated;
  // An entity without an events lane has no events.
  const laneData = known.has(lane) ? read : quiet;
  if (node.kind === 'gpu' && laneData.severity === null)
    return worse(laneData, findings ? findingState(findings, node.key, at) : facts.missing);
  return node.kind === 'service' || node.kind === 'job'
    ? worse(laneData, impactState(incidents, node.id, at))
    : laneData;
}
