import { useMemo } from 'react';
import type { Fleet, FleetDifference } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { differenceText, gpusText, metricTitle } from '../../draw/text/gpu-text.ts';
import { entityTarget } from '../../state/actions.ts';
import { select, selectEntity } from '../../state/focus.ts';
import { useGpuMetric } from '../../state/gpu-metric.ts';
import { copyText } from '../../state/toasts.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';

export interface DifferencesProps {
  readonly fleet: Fleet;
  readonly selected: number;
}

/** Which GPUs are different, and by how much. */
export function Differences({ fleet, selected }: DifferencesProps) {
  const format = useTimeFormat();
  const columns = useMemo(
    () => columnsOf(fleet, (time) => formatInstant(nanos(time), format, 0), instantWidth(format, 72)),
    [fleet, format],
  );
  const keyOf = (row: FleetDifference): string => `${row.gpus.join()} ${row.metric}`;
  const entityKeyOf = (row: FleetDifference): string => fleet.gpus[row.gpus[0] ?? -1]?.thing ?? '';
  const mine = fleet.differences.find(({ gpus }) => gpus.includes(selected));
  return (
    <section className="gpus-differences" aria-label="GPUs that differ">
      <h2>
        Different <span className="muted">{comparedText(fleet)}</span>
      </h2>
      <DataTable<FleetDifference>
        label="GPUs that differ"
        columns={columns}
        rows={fleet.differences}
        keyOf={keyOf}
        selected={mine ? keyOf(mine) : null}
        onSelect={(row) => {
          useGpuMetric.setState({ metric: row.metric });
          selectEntity(entityKeyOf(row));
          select(`entity:${entityKeyOf(row)}`, nanos(row.since_ns));
        }}
        actionsOf={(row) =>
          entityTarget(entityKeyOf(row), [
            {
              id: 'words',
              title: 'Copy the difference',
              keys: 'M',
              run: () =>
                void copyText(
                  `${gpusText(row.gpus.flatMap((at) => fleet.gpus[at] ?? []))} ${metricTitle(row.metric)}: ${differenceText(row)}`,
                  'Difference',
                ),
            },
          ])
        }
        empty={emptyText(fleet)}
      />
    </section>
  );
}

/** How many differ, and of how many nobody can say it. */
function comparedText({ differences, gpus, measured, compared, alone }: Fleet): string {
  if (compared === 0)
    return measured === 0 ? 'unknown' : `unknown; ${measured} of ${gpus.length} were measured in this time`;
  return [
    differences.length === 0 ? 'none' : String(differences.length),
    ...(measured < gpus.length ? [`${measured} of ${gpus.length} were measured in this time`] : []),
    ...(compared < measured ? [`${compared} of them could be compared`] : []),
    ...(alone > 0 ? [`${alone} of ${gpus.length} have too few peers to say`] : []),
  ].join('; ');
}

function emptyText({ measured, compared, metrics }: Fleet): string {
  if (metrics.length === 0)
    return 'Nobody can say: nothing that GPUs measured was recorded. Files of nvidia-smi, dcgm-exporter or NVML over OTLP would tell.';
  if (measured === 0)
    return 'Nobody can say: nothing that GPUs measured was recorded in the time on screen. F fits all data.';
  if (compared === 0)
    return 'Nobody can say: in the time on screen no GPU was measured long enough beside four others. A shorter window, or samples over some minutes, would tell.';
  return 'In the time on screen every GPU that could be compared did as those that share its work, and these as the fleet.';
}

function columnsOf(
  { gpus }: Fleet,
  timeText: (time: bigint) => string,
  timeWidth: string,
): readonly Column<FleetDifference>[] {
  const name = (row: FleetDifference): string => gpusText(row.gpus.flatMap((at) => gpus[at] ?? []));
  return [
    {
      id: 'gpu',
      title: 'GPU',
      width: 'minmax(140px, 1fr)',
      cell: (row) => <span title={`${name(row)}: ${differenceText(row)}`}>{name(row)}</span>,
      sort: name,
    },
    {
      id: 'metric',
      title: 'what',
      width: '96px',
      cell: ({ metric }) => metricTitle(metric),
      sort: ({ metric }) => metric,
    },
    {
      id: 'value',
      title: 'its own',
      numeric: true,
      width: '72px',
      cell: ({ value, unit }) => formatValue(value, unit),
      sort: ({ value }) => value,
    },
    {
      id: 'typical',
      title: 'expected',
      numeric: true,
      width: '112px',
      cell: ({ typical, unit, against }) => (
        <>
          <span className="muted">{against === 'peers' ? 'peers' : 'usual'}</span> {formatValue(typical, unit)}
        </>
      ),
      sort: ({ typical }) => typical,
    },
    {
      id: 'since',
      title: 'since',
      width: timeWidth,
      cell: ({ since_ns }) => timeText(since_ns),
      sort: ({ since_ns }) => since_ns,
      instant: ({ since_ns }) => nanos(since_ns),
    },
  ];
}
