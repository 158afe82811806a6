import { useMemo } from 'react';
import type { Fleet, FleetGpu, GpuHealth } from '../../../model/contract/index.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { entityName, machineOf, shortGpu } from '../../draw/text/gpu-text.ts';
import { entityTarget } from '../../state/actions.ts';
import { select, selectEntity } from '../../state/focus.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';

interface GpuTableProps {
  readonly fleet: Fleet;
  /** Places of the GPUs that are shown. */
  readonly order: readonly number[];
  readonly selected: number;
}

/** GPUs with their errors in the window and with what held them; a click on a header sorts. */
export function GpuTable({ fleet, order, selected }: GpuTableProps) {
  const rows = useMemo(() => order.flatMap((at) => fleet.gpus[at] ?? []), [fleet, order]);
  return (
    <DataTable<FleetGpu>
      label={messages.table.label}
      columns={columns}
      rows={rows}
      keyOf={({ entity }) => entity}
      selected={fleet.gpus[selected]?.entity ?? null}
      onSelect={({ entity }) => {
        selectEntity(entity);
        select(`entity:${entity}`);
      }}
      actionsOf={({ entity }) => entityTarget(entity)}
      empty={messages.table.none}
    />
  );
}

type Counter = Exclude<keyof GpuHealth, 'xids'>;

/** Blank is not recorded; a zero was measured. */
const counted = (id: Counter, title: string, hint: string): Column<FleetGpu> => ({
  id,
  title,
  numeric: true,
  width: '56px',
  cell: ({ health }) => {
    const grown = health[id];
    if (grown === null)
      return (
        <span className="muted" title={messages.table.notRecorded}>
          –
        </span>
      );
    return (
      <span className={grown > 0 ? 'gpu-grown' : 'muted'} title={hint}>
        {grown > 0 ? `+${formatCount(grown)}` : '0'}
      </span>
    );
  },
  sort: ({ health }) => health[id] ?? -1,
  sheet: { cell: ({ health }) => health[id] },
});

const xidText = ({ health: { xids } }: FleetGpu): string =>
  xids.map(({ xid, count }) => (count === 1 ? String(xid) : `${xid} × ${count}`)).join(', ');

const workText = ({ work }: FleetGpu): string => work.map(entityName).join(', ');
const podText = ({ pods }: FleetGpu): string => pods.map(entityName).join(', ');

const columns: readonly Column<FleetGpu>[] = [
  {
    id: 'gpu',
    title: messages.columns.gpu,
    width: 'minmax(140px, 2fr)',
    cell: (gpu) => <span title={gpu.entity}>{`${machineOf(gpu)} ${shortGpu(gpu)}`.trim()}</span>,
    sort: (gpu) => `${machineOf(gpu)} ${shortGpu(gpu)}`,
    sheet: { cell: ({ id }) => id },
  },
  {
    id: 'xid',
    title: 'Xid',
    width: '72px',
    cell: (gpu) => <span className="gpu-xid">{xidText(gpu)}</span>,
    sort: ({ health: { xids } }) => xids.reduce((sum, { count }) => sum + count, 0),
    sheet: { cell: xidText },
  },
  counted('uncorrected', messages.table.uncorrected, messages.table.uncorrectedTitle),
  counted('corrected', messages.table.corrected, messages.table.correctedTitle),
  counted('remapped', messages.table.remapped, messages.table.remappedTitle),
  counted('nvlink', messages.table.nvlink, messages.table.nvlinkTitle),
  counted('replays', messages.table.replays, messages.table.replaysTitle),
  {
    id: 'events',
    title: messages.table.events,
    numeric: true,
    width: '52px',
    cell: ({ events }) => (events === 0 ? '' : formatCount(events)),
    sort: ({ events }) => events,
    sheet: { cell: ({ events }) => events },
  },
  {
    id: 'work',
    title: messages.table.work,
    width: 'minmax(72px, 1fr)',
    cell: (gpu) => (
      <span title={[workText(gpu), podText(gpu)].filter(Boolean).join('; ')}>{workText(gpu) || podText(gpu)}</span>
    ),
    sort: workText,
    sheet: { cell: workText },
  },
  {
    id: 'pods',
    title: messages.table.pods,
    width: 'minmax(60px, 1fr)',
    cell: (gpu) => <span title={podText(gpu)}>{podText(gpu)}</span>,
    sort: podText,
  },
];
