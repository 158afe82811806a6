import { useMemo } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { entityName, metricTitle, pickLabels } from '../../draw/text/gpu-text.ts';
import { useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useGpuMetric } from '../../state/gpu-metric.ts';
import { TabList } from '../../widgets/tab-list.tsx';
import { Differences } from './differences.tsx';
import { GpuDetail } from './gpu-detail.tsx';
import { GpuHeatMap } from './gpu-heat-map.tsx';
import { GpuTable } from './gpu-table.tsx';
import { messages } from './messages.ts';
import './gpus.css';

export interface GpusProps {
  readonly fleet: Fleet;
  /** The window of the fleet's data. */
  readonly window: TimeWindow;
}

/** All GPUs at once, the ones that differ, and one of them in detail. */
export function Gpus({ fleet, window }: GpusProps) {
  const order = useOrder(fleet);
  const tab = useGpuMetric((state) => state.tab);
  const entities = useFocus((focus) => focus.entities);
  const taken = useMemo(
    () => new Set([...fleet.gpus.keys()].filter((at) => entities.includes(fleet.gpus[at]?.entity ?? ''))),
    [fleet, entities],
  );
  const selected = order.find((at) => taken.has(at)) ?? -1;
  if (fleet.gpus.length === 0) return <p className="empty muted">{messages.empty.noGpus}</p>;
  const first = fleet.differences[0]?.gpus[0] ?? order.find((at) => wasMeasured(fleet, at)) ?? order[0] ?? 0;
  const shown = fleet.gpus[selected < 0 ? first : selected];
  return (
    <div className="gpus">
      {fleet.metric === null ? null : <Bar fleet={fleet} />}
      {fleet.metric === null ? (
        <p className="empty muted">{messages.empty.noHeatMap}</p>
      ) : (
        <GpuHeatMap fleet={fleet} window={window} order={order} selected={selected} taken={taken} />
      )}
      <div className={`gpus-lower ${tab}`}>
        <GpuLists fleet={fleet} order={order} selected={selected} />
        {shown ? <GpuDetail gpu={shown} /> : null}
      </div>
    </div>
  );
}

/** GPUs that differ, or all of them with their errors. */
function GpuLists({
  fleet,
  order,
  selected,
}: {
  readonly fleet: Fleet;
  readonly order: readonly number[];
  readonly selected: number;
}) {
  const tab = useGpuMetric((state) => state.tab);
  const tabs = [
    {
      id: 'different' as const,
      title: messages.differences.tab(fleet.compared === 0 ? '?' : String(fleet.differences.length)),
    },
    { id: 'all' as const, title: messages.table.title(formatCount(order.length)) },
  ];
  return (
    <div className="gpus-lists">
      <TabList
        label={messages.table.lists}
        tabs={tabs}
        selected={tab}
        onSelect={(id) => useGpuMetric.setState({ tab: id })}
      />
      {tab === 'different' ? (
        <Differences fleet={fleet} shown={new Set(order)} selected={selected} />
      ) : (
        <section className="gpus-differences" aria-label={messages.table.label}>
          <GpuTable fleet={fleet} order={order} selected={selected} />
        </section>
      )}
    </div>
  );
}

/** Whether a GPU has samples of the displayed metric in the window. */
function wasMeasured({ gpus, values }: Fleet, gpu: number): boolean {
  const buckets = values.length / gpus.length;
  return values.subarray(gpu * buckets, (gpu + 1) * buckets).some((value) => !Number.isNaN(value));
}

/** By machine, or by difference; of one service, job or pod if one is chosen. */
function useOrder({ gpus, differences }: Fleet): readonly number[] {
  const order = useGpuMetric((state) => state.order);
  const work = useGpuMetric((state) => state.work);
  return useMemo(() => {
    const isUsed = (at: number): boolean => gpus[at]?.work.includes(work) || gpus[at]?.pods.includes(work) || false;
    const all = work === '' ? [...gpus.keys()] : [...gpus.keys()].filter(isUsed);
    if (order === 'place') return all;
    const places = new Map<number, number>();
    for (const gpu of differences.flatMap((one) => one.gpus)) if (!places.has(gpu)) places.set(gpu, places.size);
    return all.sort((a, b) => (places.get(a) ?? all.length) - (places.get(b) ?? all.length) || a - b);
  }, [gpus, differences, order, work]);
}

/** Whose GPUs are shown. */
function WorkChoice({ fleet }: { readonly fleet: Fleet }) {
  const work = useGpuMetric((state) => state.work);
  const works = useMemo(() => [...new Set(fleet.gpus.flatMap((one) => one.work))].toSorted(), [fleet]);
  const pods = useMemo(() => [...new Set(fleet.gpus.flatMap((one) => one.pods))].toSorted(), [fleet]);
  if (works.length + pods.length === 0 && work === '') return null;
  const isGone = work !== '' && !works.includes(work) && !pods.includes(work);
  const option = (key: string) => (
    <option key={key} value={key}>
      {entityName(key)}
    </option>
  );
  return (
    <label>
      <span className="muted">{messages.bar.work}</span>{' '}
      <select
        value={work}
        data-testid="gpu-work"
        onChange={({ target }) => useGpuMetric.setState({ work: target.value })}
      >
        <option value="">{messages.bar.all}</option>
        {works.length > 0 ? <optgroup label={messages.bar.services}>{works.map(option)}</optgroup> : null}
        {pods.length > 0 ? <optgroup label={messages.bar.pods}>{pods.map(option)}</optgroup> : null}
        {isGone ? <option value={work}>{messages.bar.gone(entityName(work))}</option> : null}
      </select>
    </label>
  );
}

function Bar({ fleet }: { readonly fleet: Fleet }) {
  const order = useGpuMetric((state) => state.order);
  const known = fleet.metrics.find(({ metric }) => metric === fleet.metric);
  return (
    <div className="gpus-bar">
      <label>
        <span className="muted">{messages.bar.metric}</span>{' '}
        <select
          value={fleet.metric ?? ''}
          onChange={(event) => useGpuMetric.setState({ metric: event.target.value })}
          data-testid="gpu-metric"
        >
          {fleet.metrics.map(({ metric, gpus }) => (
            <option key={metric} value={metric}>
              {metricTitle(metric)}
              {gpus < fleet.gpus.length ? messages.bar.partly(gpus, fleet.gpus.length) : ''}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="muted">{messages.bar.order}</span>{' '}
        <select
          value={order}
          onChange={(event) => useGpuMetric.setState({ order: event.target.value as 'place' | 'difference' })}
        >
          <option value="place">{messages.bar.machine}</option>
          <option value="difference">{messages.bar.difference}</option>
        </select>
      </label>
      <WorkChoice fleet={fleet} />
      <span className="muted ellipsis" title={known ? pickLabels[fleet.pick] : undefined}>
        {messages.bar.count(formatCount(fleet.gpus.length), known ? pickLabels[fleet.pick] : '')}
      </span>
    </div>
  );
}
