import { useMemo } from 'react';
import type { JobHeat, JobMarkView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { select, setPlayhead } from '../../state/focus.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { secondsText } from './job-text.ts';
import { messages } from './messages.ts';
import type { JobTablesProps } from './use-rows.ts';

/** Restarts and checkpoints in the window. */
export function MarkTable({ heat, rows }: Pick<JobTablesProps, 'heat' | 'rows'>) {
  const format = useTimeFormat();
  const columns = useMemo(
    () => columnsOf(heat, (time) => formatInstant(nanos(time), format, 0), instantWidth(format, 72)),
    [heat, format],
  );
  const { marks, marks_total } = heat;
  return (
    <>
      <DataTable<JobMarkView>
        label={messages.marks.label}
        columns={columns}
        rows={marks}
        keyOf={({ kind, row, start_ns, ref }) => `${kind} ${row} ${start_ns} ${ref}`}
        onSelect={({ row, ref, start_ns }) => {
          if (row >= 0) rows.select(row);
          if (ref === '') setPlayhead(nanos(start_ns));
          else select(ref, nanos(start_ns));
        }}
        empty={messages.empty.noMarks}
      />
      {marks_total > marks.length ? (
        <p className="muted jobs-some">{messages.marks.some(marks.length, marks_total)}</p>
      ) : null}
    </>
  );
}

const textOf = ({ kind, text, failed }: JobMarkView): string =>
  kind === 'step_back' ? messages.marks.stepBack(text) : failed ? `${messages.marks.failed}: ${text}` : text;

function columnsOf(
  { ranks }: JobHeat,
  timeText: (time: bigint) => string,
  timeWidth: string,
): readonly Column<JobMarkView>[] {
  const lengthOf = ({ start_ns, end_ns }: JobMarkView): number => Number(end_ns - start_ns) / 1e9;
  return [
    {
      id: 'time',
      title: messages.marks.time,
      width: timeWidth,
      cell: ({ start_ns }) => timeText(start_ns),
      sort: ({ start_ns }) => start_ns,
      instant: ({ start_ns }) => nanos(start_ns),
    },
    {
      id: 'kind',
      title: messages.marks.kind,
      width: '144px',
      cell: ({ kind }) => messages.marks.kinds[kind],
      sort: ({ kind }) => kind,
    },
    {
      id: 'rank',
      title: messages.marks.rank,
      width: '84px',
      cell: ({ row }) => ranks[row]?.name ?? messages.marks.job,
      sort: ({ row }) => row,
    },
    {
      id: 'length',
      title: messages.marks.length,
      numeric: true,
      width: '72px',
      cell: (mark) => (lengthOf(mark) > 0 ? secondsText(lengthOf(mark)) : ''),
      sort: lengthOf,
    },
    {
      id: 'text',
      title: messages.marks.text,
      width: 'minmax(160px, 1fr)',
      cell: (mark) => <span title={textOf(mark)}>{textOf(mark)}</span>,
      sort: textOf,
    },
  ];
}
