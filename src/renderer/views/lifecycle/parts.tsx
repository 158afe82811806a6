import { useMemo } from 'react';
import type { Output, PartView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount, formatHours } from '../../draw/text/format-value.ts';
import { entityName } from '../../draw/text/gpu-text.ts';
import { entityTarget } from '../../state/actions.ts';
import { select, useFocus } from '../../state/focus.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { FailureRates } from './failure-rates.tsx';
import { messages } from './messages.ts';
import { PartDetail } from './part-detail.tsx';
import { partName } from './part-name.ts';

export type PartsProps = Output<'parts.list'>;

/** Hardware with its serials and history: what failed, what grew, what was changed. */
export function Parts({ parts, groups, total, start_ns, end_ns }: PartsProps) {
  const format = useTimeFormat();
  const columns = useMemo(() => columnsOf(format), [format]);
  const selected = useFocus((focus) => focus.selected);
  const shown =
    parts.find(
      ({ entity, moments }) => selected === `entity:${entity}` || moments.some(({ ref }) => ref === selected),
    ) ?? parts[0];
  if (parts.length === 0) return <p className="empty muted">{messages.parts.none}</p>;
  return (
    <div className="parts">
      <FailureRates groups={groups} />
      <div className="life-list">
        <DataTable<PartView>
          label={messages.parts.title}
          columns={columns}
          rows={parts}
          keyOf={({ entity }) => entity}
          selected={shown?.entity ?? null}
          onSelect={({ entity }) => select(`entity:${entity}`)}
          actionsOf={({ entity }) => entityTarget(entity)}
          empty={messages.parts.none}
        />
        {total > parts.length ? (
          <p className="muted">{messages.parts.first(formatCount(parts.length), formatCount(total))}</p>
        ) : null}
      </div>
      {shown ? <PartDetail part={shown} from={nanos(start_ns)} until={nanos(end_ns)} /> : null}
    </div>
  );
}

const grownOf = ({ counters }: PartView, ...wanted: readonly string[]): number | null => {
  const own = counters.filter(({ metric }) => wanted.includes(metric));
  return own.length === 0 ? null : own.reduce((sum, { grown }) => sum + grown, 0);
};

const counted = (id: string, title: string, ...metrics: readonly string[]): Column<PartView> => ({
  id,
  title,
  numeric: true,
  width: '84px',
  cell: (part) => {
    const grown = grownOf(part, ...metrics);
    return grown === null ? '' : `+${formatCount(grown)}`;
  },
  sort: (part) => grownOf(part, ...metrics) ?? -1,
  sheet: { cell: (part) => grownOf(part, ...metrics) },
});

const columnsOf = (format: CaseTimeFormat): readonly Column<PartView>[] => [
  {
    id: 'part',
    title: messages.parts.part,
    width: 'minmax(84px, 1fr)',
    cell: (part) => <span title={part.entity}>{partName(part)}</span>,
    sort: partName,
    sheet: { cell: ({ entity }) => entityName(entity) },
  },
  {
    id: 'place',
    title: messages.parts.place,
    width: 'minmax(90px, 1fr)',
    cell: ({ place }) => place ?? '',
    sort: ({ place }) => place ?? '',
  },
  {
    id: 'serial',
    title: messages.parts.serial,
    width: 'minmax(110px, 1fr)',
    optional: true,
    cell: ({ serial }) => serial,
    sort: ({ serial }) => serial,
  },
  {
    id: 'faults',
    title: messages.parts.faults,
    numeric: true,
    width: '56px',
    cell: ({ faults }) => (faults === 0 ? '' : <b className="part-faults">{formatCount(faults)}</b>),
    sort: ({ faults }) => faults,
    sheet: { cell: ({ faults }) => faults },
  },
  counted('corrected', messages.parts.corrected, 'hw.gpu.ecc.corrected'),
  counted('uncorrected', messages.parts.uncorrected, 'hw.gpu.ecc.uncorrected'),
  counted('remapped', messages.parts.remapped, 'hw.gpu.rows.remapped.corrected', 'hw.gpu.rows.remapped.uncorrected'),
  {
    id: 'changes',
    title: messages.parts.changes,
    width: 'minmax(112px, 2fr)',
    cell: ({ moments }) => {
      const last = moments.findLast(({ role }) => role === 'work');
      return last ? <span title={last.text}>{last.text}</span> : '';
    },
    sort: ({ moments }) => moments.findLast(({ role }) => role === 'work')?.time_ns ?? 0n,
  },
  {
    id: 'hours',
    title: messages.parts.hours,
    numeric: true,
    width: '72px',
    optional: true,
    cell: ({ hours }) => (hours === 0 ? '' : `${formatHours(hours)} h`),
    sort: ({ hours }) => hours,
    sheet: { name: messages.parts.hoursSheet, cell: ({ hours }) => hours },
  },
  {
    id: 'last',
    title: messages.parts.last,
    width: instantWidth(format, 88),
    optional: true,
    cell: ({ last_ns }) => (last_ns === null ? '' : formatInstant(nanos(last_ns), format, 0)),
    sort: ({ last_ns }) => last_ns ?? 0n,
    instant: ({ last_ns }) => (last_ns === null ? null : nanos(last_ns)),
  },
  {
    id: 'model',
    title: messages.parts.model,
    width: 'minmax(100px, 1fr)',
    optional: true,
    cell: ({ model }) => model,
    sort: ({ model }) => model,
  },
];
