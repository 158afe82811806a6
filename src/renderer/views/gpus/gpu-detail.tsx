import { useMemo } from 'react';
import type { FleetGpu, Lane } from '../../../model/contract/index.ts';
import { laneEntity } from '../../draw/tables/row-tree.ts';
import { entityName, machineOf, shortGpu } from '../../draw/text/gpu-text.ts';
import { laneWhat } from '../../draw/timeline/lane-text.ts';
import { showView } from '../../state/case-state.ts';
import { selectEntity } from '../../state/focus.ts';
import { useLanes } from '../../state/known.ts';
import { LaneChart } from '../../widgets/lane-chart.tsx';
import { messages } from './messages.ts';

const MOST_LANES = 40;
/** The most useful lanes first: faults, throttling, then power, temperature, clocks, load, memory. */
const order: readonly RegExp[] = [
  /^events /,
  /^state .*(reason|throttle|xid)/,
  /^state /,
  /^metric (hw\.)?(gpu\.)?power$/,
  /^metric (hw\.)?(gpu\.)?temperature$/,
  /gpu\.clock\.sm$/,
  /gpu\.utilization$/,
  /gpu\.memory\.usage$/,
  /gpu\.memory\./,
  /^metric hw\./,
];

/** The lanes of one GPU, and of the services and jobs on it. */
export function GpuDetail({ gpu }: { readonly gpu: FleetGpu }) {
  const all = useLanes();
  const lanes = useMemo(() => lanesOf(gpu, all), [gpu, all]);
  const entityKey = (lane: Lane): string => `${lane.entity_kind}:${lane.entity_id}`;
  return (
    <section className="gpus-detail" aria-label={messages.detail.label}>
      <h2>
        <span className="ellipsis" title={gpu.id}>
          {machineOf(gpu)} {shortGpu(gpu)}
        </span>{' '}
        <span className="muted ellipsis">
          {gpu.work.length === 0 ? messages.noWork : gpu.work.map(entityName).join(', ')}
        </span>
        <button
          type="button"
          className="plain"
          title={messages.detail.timelineTitle}
          onClick={() => {
            selectEntity(gpu.entity);
            showView('timeline');
          }}
        >
          {messages.detail.timeline}
        </button>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className="gpus-lanes" aria-label={messages.detail.lanes} tabIndex={0}>
        {lanes.length === 0 ? (
          <p className="empty muted">{messages.detail.noLanes}</p>
        ) : (
          <LaneChart
            label={messages.detail.lanesOf(gpu.id)}
            lanes={lanes}
            nameOf={(lane) =>
              entityKey(lane) === gpu.entity ? laneWhat(lane) : `${laneEntity(lane)} ${laneWhat(lane)}`
            }
          />
        )}
      </section>
    </section>
  );
}

function lanesOf({ entity, work }: FleetGpu, lanes: readonly Lane[]): readonly Lane[] {
  const rank = (lane: Lane): number => {
    const at = order.findIndex((pattern) => pattern.test(`${lane.kind} ${lane.metric}`));
    return at < 0 ? order.length : at;
  };
  const own = lanes.filter((lane) => `${lane.entity_kind}:${lane.entity_id}` === entity);
  const served = lanes.filter(
    (lane) =>
      work.includes(`${lane.entity_kind}:${lane.entity_id}`) && (lane.kind === 'metric' || lane.kind === 'events'),
  );
  return [...own.toSorted((a, b) => rank(a) - rank(b)), ...served].slice(0, MOST_LANES);
}
