import { useMemo } from 'react';
import type { JobRankView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { entityName } from '../../draw/text/gpu-text.ts';
import { entityTarget } from '../../state/actions.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { secondsText } from './job-text.ts';
import { messages } from './messages.ts';
import { showLanes } from './rank-detail.tsx';
import type { JobTablesProps } from './use-rows.ts';

interface RankRow extends JobRankView {
  readonly at: number;
}

/** All ranks of the job: what the heat map shows, without colours. */
export function RankTable({ heat, rows }: Pick<JobTablesProps, 'heat' | 'rows'>) {
  const format = useTimeFormat();
  const columns = useMemo(
    () => columnsOf((time) => formatInstant(nanos(time), format, 0), instantWidth(format, 72)),
    [format],
  );
  const ranks = useMemo(() => rows.order.map((at): RankRow => ({ ...heat.ranks[at]!, at })), [heat, rows.order]);
  return (
    <DataTable<RankRow>
      label={messages.ranks.label}
      columns={columns}
      rows={ranks}
      keyOf={({ at }) => String(at)}
      selected={String(rows.selected)}
      onSelect={({ at }) => rows.select(at)}
      actionsOf={(rank) =>
        entityTarget(rank.entity, [
          { id: 'lanes', title: messages.waited.lanes, keys: 'L', run: () => showLanes(rank) },
        ])
      }
      empty={messages.empty.noRanks}
    />
  );
}

function columnsOf(timeText: (time: bigint) => string, timeWidth: string): readonly Column<RankRow>[] {
  const names = (of: (rank: RankRow) => readonly string[]) => (rank: RankRow) => of(rank).map(entityName).join(', ');
  const [hosts, gpus] = [names((rank) => rank.hosts), names((rank) => rank.gpus)];
  return [
    { id: 'rank', title: messages.ranks.rank, width: '96px', cell: ({ name }) => name, sort: ({ at }) => at },
    { id: 'machine', title: messages.ranks.machine, width: 'minmax(96px, 1fr)', cell: hosts, sort: hosts },
    { id: 'gpu', title: messages.ranks.gpu, width: 'minmax(96px, 1fr)', cell: gpus, sort: gpus },
    {
      id: 'steps',
      title: messages.ranks.steps,
      numeric: true,
      width: '72px',
      cell: ({ steps }) =>
        steps === null || steps === 0 ? (
          <span className="muted">{steps === 0 ? messages.heat.noSteps : messages.ranks.notCounted}</span>
        ) : (
          formatCount(steps)
        ),
      sort: ({ steps }) => steps ?? 0,
    },
    {
      id: 'last',
      title: messages.ranks.last,
      numeric: true,
      width: '84px',
      cell: ({ last_step }) => (last_step === null ? '' : formatCount(last_step)),
      sort: ({ last_step }) => last_step ?? -1,
    },
    {
      id: 'usual',
      title: messages.ranks.usual,
      numeric: true,
      width: '84px',
      optional: true,
      cell: ({ usual_s }) => secondsText(usual_s),
      sort: ({ usual_s }) => usual_s ?? -1,
    },
    {
      id: 'record',
      title: messages.ranks.lastRecord,
      width: timeWidth,
      optional: true,
      cell: ({ last_ns }) =>
        last_ns === null ? <span className="muted">{messages.list.unknown}</span> : timeText(last_ns),
      sort: ({ last_ns }) => last_ns ?? 0n,
      instant: ({ last_ns }) => (last_ns === null ? null : nanos(last_ns)),
    },
  ];
}
