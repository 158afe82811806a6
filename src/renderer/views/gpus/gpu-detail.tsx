import { useMemo } from 'react';
import type { FleetGpu, Lane } from '../../../model/contract/index.ts';
import { entityName, machineOf, shortGpu } from '../../draw/text/gpu-text.ts';
import { laneWhat } from '../../draw/timeline/lane-text.ts';
import { showView, useCase } from '../../state/case-state.ts';
import { selectEntity } from '../../state/focus.ts';
import { LaneStrip } from '../../widgets/lane-strip.tsx';

const MOST_LANES = 40;
/** What a GPU is looked at for comes first: faults, what holds it down, then power, heat, clocks, load, memory. */
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

/** One GPU: its lanes, and those of the services and jobs that used it. */
export function GpuDetail({ gpu }: { readonly gpu: FleetGpu }) {
  const all = useCase((state) => state.lanes);
  const lanes = useMemo(() => lanesOf(gpu, all), [gpu, all]);
  const entityKey = (lane: Lane): string => `${lane.entity_kind}:${lane.entity_id}`;
  return (
    <section className="gpus-detail" aria-label="One GPU">
      <h2>
        <span className="ellipsis" title={gpu.id}>
          {machineOf(gpu)} {shortGpu(gpu)}
        </span>{' '}
        <span className="muted ellipsis">
          {gpu.work.length === 0 ? 'no service or job known' : gpu.work.map(entityName).join(', ')}
        </span>
        <button
          type="button"
          className="plain"
          title="Its lanes among all others"
          onClick={() => {
            selectEntity(gpu.thing);
            showView('timeline');
          }}
        >
          in the timeline
        </button>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys as well */}
      <section className="gpus-lanes" aria-label="What was recorded of it" tabIndex={0}>
        {lanes.length === 0 ? (
          <p className="empty muted">
            Nothing was recorded of this GPU itself; of its links and its machine there may be.
          </p>
        ) : (
          <LaneStrip
            label={`Lanes of ${gpu.id}`}
            lanes={lanes}
            nameOf={(lane) => (entityKey(lane) === gpu.thing ? laneWhat(lane) : `${lane.entity_id} ${laneWhat(lane)}`)}
          />
        )}
      </section>
    </section>
  );
}

function lanesOf({ thing: entityKey, work }: FleetGpu, lanes: readonly Lane[]): readonly Lane[] {
  const rank = (lane: Lane): number => {
    const at = order.findIndex((pattern) => pattern.test(`${lane.kind} ${lane.metric}`));
    return at < 0 ? order.length : at;
  };
  const own = lanes.filter((lane) => `${lane.entity_kind}:${lane.entity_id}` === entityKey);
  const served = lanes.filter(
    (lane) =>
      work.includes(`${lane.entity_kind}:${lane.entity_id}`) && (lane.kind === 'metric' || lane.kind === 'events'),
  );
  return [...own.toSorted((a, b) => rank(a) - rank(b)), ...served].slice(0, MOST_LANES);
}
