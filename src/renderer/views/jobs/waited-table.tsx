import { useMemo } from 'react';
import type { WaitedRankView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { entityTarget } from '../../state/actions.ts';
import { select } from '../../state/focus.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { placeText, rankList, secondsText, whyText } from './job-text.ts';
import { messages } from './messages.ts';
import { showLanes } from './rank-detail.tsx';
import type { JobTablesProps } from './use-rows.ts';

/** The ranks that others waited for. */
export function WaitedTable({ job, rows }: Pick<JobTablesProps, 'job' | 'rows'>) {
  const format = useTimeFormat();
  const columns = useMemo(
    () => columnsOf((time) => formatInstant(nanos(time), format, 0), instantWidth(format, 72)),
    [format],
  );
  const keyOf = ({ row, kind, from_ns, text }: WaitedRankView): string => `${row} ${kind} ${from_ns} ${text}`;
  const mine = job.waited.find(({ row }) => row === rows.selected);
  return (
    <DataTable<WaitedRankView>
      label={messages.waited.label}
      columns={columns}
      rows={job.waited}
      keyOf={keyOf}
      selected={mine ? keyOf(mine) : null}
      onSelect={({ row, from_ns, refs }) => {
        rows.select(row);
        if (refs[0] !== undefined) select(refs[0], nanos(from_ns));
      }}
      actionsOf={(waited) =>
        entityTarget(waited.entity, [
          { id: 'lanes', title: messages.waited.lanes, keys: 'L', run: () => showLanes(waited) },
        ])
      }
      empty={messages.empty.noWaited}
    />
  );
}

const byText = ({ waiting }: WaitedRankView): string =>
  waiting.length === 0 ? '' : messages.waited.ranks(waiting.length, rankList(waiting));

function columnsOf(timeText: (time: bigint) => string, timeWidth: string): readonly Column<WaitedRankView>[] {
  return [
    { id: 'rank', title: messages.waited.rank, width: '84px', cell: ({ name }) => name, sort: ({ row }) => row },
    {
      id: 'why',
      title: messages.waited.why,
      width: 'minmax(160px, 3fr)',
      cell: (row) => <span title={whyText(row)}>{whyText(row)}</span>,
      sort: whyText,
    },
    {
      id: 'by',
      title: messages.waited.by,
      width: 'minmax(100px, 1fr)',
      cell: (row) => <span title={byText(row)}>{byText(row)}</span>,
      sort: ({ waiting }) => waiting.length,
    },
    {
      id: 'lost',
      title: messages.waited.lost,
      numeric: true,
      width: '64px',
      optional: true,
      cell: ({ lost_s }) => secondsText(lost_s),
      sort: ({ lost_s }) => lost_s ?? -1,
    },
    {
      id: 'since',
      title: messages.waited.since,
      width: timeWidth,
      cell: ({ from_ns }) => timeText(from_ns),
      sort: ({ from_ns }) => from_ns,
      instant: ({ from_ns }) => nanos(from_ns),
    },
    {
      id: 'place',
      title: messages.waited.runsOn,
      width: 'minmax(100px, 1fr)',
      optional: true,
      cell: (row) => <span title={placeText(row)}>{placeText(row)}</span>,
      sort: placeText,
    },
  ];
}
