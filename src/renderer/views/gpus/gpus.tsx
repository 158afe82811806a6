import { useMemo } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { metricTitle, pickLabels } from '../../draw/text/gpu-text.ts';
import { selectEntity, useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useGpuMetric } from '../../state/gpu-metric.ts';
import { Differences } from './differences.tsx';
import { GpuDetail } from './gpu-detail.tsx';
import { HeatMapPane } from './heat-map-pane.tsx';
import './gpus.css';

export interface GpusProps {
  readonly fleet: Fleet;
  /** That the fleet was asked for. */
  readonly window: TimeWindow;
}

/** All GPUs at once, who among them differs, and one of them in detail. */
export function Gpus({ fleet, window }: GpusProps) {
  const order = useOrder(fleet);
  const entities = useFocus((focus) => focus.entities);
  const taken = useMemo(
    () => new Set([...fleet.gpus.keys()].filter((at) => entities.includes(fleet.gpus[at]?.thing ?? ''))),
    [fleet, entities],
  );
  const selected = order.find((at) => taken.has(at)) ?? -1;
  if (fleet.gpus.length === 0)
    return (
      <p className="empty muted">
        No GPU is known in this case. Files of nvidia-smi, dcgm-exporter, NVML over OTLP, or kernel logs with Xid would
        fill this view.
      </p>
    );
  const first = fleet.differences[0]?.gpus[0] ?? order.find((at) => wasMeasured(fleet, at)) ?? order[0] ?? 0;
  const shown = fleet.gpus[selected < 0 ? first : selected];
  return (
    <div className="gpus">
      {fleet.metric === null ? null : <Bar fleet={fleet} />}
      {fleet.metric === null ? (
        <p className="empty muted">
          GPUs are named here, but nothing that they measured was recorded: files of nvidia-smi, dcgm-exporter or NVML
          over OTLP would fill the heat map.
        </p>
      ) : (
        <HeatMapPane
          fleet={fleet}
          window={window}
          order={order}
          selected={selected}
          taken={taken}
          onSelect={(at) => selectEntity(fleet.gpus[at]?.thing ?? null)}
        />
      )}
      <div className="gpus-lower">
        <Differences fleet={fleet} selected={selected} />
        {shown ? <GpuDetail gpu={shown} /> : null}
      </div>
    </div>
  );
}

/** In the time on screen, by what the heat map shows. */
function wasMeasured({ gpus, values }: Fleet, gpu: number): boolean {
  const buckets = values.length / gpus.length;
  return values.subarray(gpu * buckets, (gpu + 1) * buckets).some((value) => !Number.isNaN(value));
}

/** By machine, or those that differ most first. */
function useOrder({ gpus, differences }: Fleet): readonly number[] {
  const order = useGpuMetric((state) => state.order);
  return useMemo(() => {
    const all = [...gpus.keys()];
    if (order === 'place') return all;
    const places = new Map<number, number>();
    for (const gpu of differences.flatMap((one) => one.gpus)) if (!places.has(gpu)) places.set(gpu, places.size);
    return all.sort((a, b) => (places.get(a) ?? all.length) - (places.get(b) ?? all.length) || a - b);
  }, [gpus, differences, order]);
}

function Bar({ fleet }: { readonly fleet: Fleet }) {
  const order = useGpuMetric((state) => state.order);
  const known = fleet.metrics.find(({ metric }) => metric === fleet.metric);
  return (
    <div className="gpus-bar">
      <label>
        <span className="muted">heat map of</span>{' '}
        <select
          value={fleet.metric ?? ''}
          onChange={(event) => useGpuMetric.setState({ metric: event.target.value })}
          data-testid="gpu-metric"
        >
          {fleet.metrics.map(({ metric, gpus }) => (
            <option key={metric} value={metric}>
              {metricTitle(metric)}
              {gpus < fleet.gpus.length ? ` (${gpus} of ${fleet.gpus.length})` : ''}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="muted">in order of</span>{' '}
        <select
          value={order}
          onChange={(event) => useGpuMetric.setState({ order: event.target.value as 'place' | 'difference' })}
        >
          <option value="place">machine</option>
          <option value="difference">difference</option>
        </select>
      </label>
      <span className="muted ellipsis" title={known ? pickLabels[fleet.pick] : undefined}>
        {formatCount(fleet.gpus.length)} GPUs; {known ? pickLabels[fleet.pick] : ''}
      </span>
    </div>
  );
}
