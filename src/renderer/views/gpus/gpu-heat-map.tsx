import { useMemo } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { entityName, machineOf, metricTitle, shortGpu } from '../../draw/text/gpu-text.ts';
import { heatRange } from '../../draw/timeline/heat-map.ts';
import { selectEntity } from '../../state/focus.ts';
import { HeatMap } from '../../widgets/heat-map.tsx';
import type { HeatRows } from '../../widgets/walk-rows.ts';
import { messages } from './messages.ts';

interface GpuHeatMapProps extends Pick<HeatRows, 'window' | 'order' | 'selected' | 'taken'> {
  readonly fleet: Fleet;
}

/** Heat map of one metric of the GPUs. */
export function GpuHeatMap({ fleet, window, order, selected, taken }: GpuHeatMapProps) {
  const { gpus, values, metric } = fleet;
  const range = useMemo(() => heatRange(values), [values]);
  const entities = useMemo(() => gpus.map(({ entity }) => entity), [gpus]);
  const unit = fleet.metrics.find((one) => one.metric === metric)?.unit ?? '';
  const buckets = values.length / Math.max(1, gpus.length);
  const nameOf = (at: number): string => {
    const gpu = gpus[at];
    return gpu ? `${machineOf(gpu)} ${shortGpu(gpu)}` : '';
  };
  return (
    <HeatMap
      rows={{ values, entities, window, order, selected, taken, onSelect: (at) => selectEntity(entities[at] ?? null) }}
      label={messages.heatMap(metricTitle(metric ?? ''), order.length)}
      groupOf={(at) => (gpus[at] ? machineOf(gpus[at]) || gpus[at].id : '')}
      range={range}
      ends={[formatValue(range[0], unit), formatValue(range[1], unit)]}
      nameOf={nameOf}
      aboutOf={(at) => gpus[at]?.work.map(entityName).join(', ') || messages.noWork}
      cellText={(at, bucket) => formatValue(values[at * buckets + bucket] ?? Number.NaN, unit)}
    />
  );
}
