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
import { messages } from './messages.ts';

export interface DifferencesProps {
  readonly fleet: Fleet;
  /** Places of the GPUs that are shown. */
  readonly shown: ReadonlySet<number>;
  readonly selected: number;
}

/** The GPUs that differ, and by how much. */
export function Differences({ fleet, shown, selected }: DifferencesProps) {
  const format = useTimeFormat();
  const columns = useMemo(
    () => columnsOf(fleet, (time) => formatInstant(nanos(time), format, 0), instantWidth(format, 72)),
    [fleet, format],
  );
  const keyOf = (row: FleetDifference): string => `${row.gpus.join()} ${row.metric}`;
  const entityKeyOf = (row: FleetDifference): string => fleet.gpus[row.gpus[0] ?? -1]?.entity ?? '';
  const mine = fleet.differences.find(({ gpus }) => gpus.includes(selected));
  return (
    <section className="gpus-differences" aria-label={messages.differences.label}>
      {comparedText(fleet) === '' ? null : <p className="gpus-compared muted">{comparedText(fleet)}</p>}
      <DataTable<FleetDifference>
        label={messages.differences.label}
        columns={columns}
        rows={fleet.differences.filter(({ gpus }) => gpus.some((at) => shown.has(at)))}
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
              title: messages.differences.copy,
              keys: 'M',
              run: () =>
                void copyText(
                  `${gpusText(row.gpus.flatMap((at) => fleet.gpus[at] ?? []))} ${metricTitle(row.metric)}: ${differenceText(row)}`,
                  messages.differences.copied,
                ),
            },
          ])
        }
        empty={emptyText(fleet)}
      />
    </section>
  );
}

/** For how many GPUs it is unknown whether they differ; '' where it is known of all. */
function comparedText({ gpus, measured, compared, alone }: Fleet): string {
  if (compared === 0)
    return measured === 0 ? messages.compared.unknown : messages.compared.partly(measured, gpus.length);
  return [
    ...(measured < gpus.length ? [messages.compared.measured(measured, gpus.length)] : []),
    ...(compared < measured ? [messages.compared.comparable(compared)] : []),
    ...(alone > 0 ? [messages.compared.alone(alone, gpus.length)] : []),
  ].join('; ');
}

function emptyText({ measured, compared, metrics }: Fleet): string {
  if (metrics.length === 0) return messages.empty.noMetrics;
  if (measured === 0) return messages.empty.noSamples;
  if (compared === 0) return messages.empty.notComparable;
  return messages.empty.noDifferences;
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
      title: messages.columns.gpu,
      width: 'minmax(120px, 1fr)',
      cell: (row) => <span title={`${name(row)}: ${differenceText(row)}`}>{name(row)}</span>,
      sort: name,
    },
    {
      id: 'metric',
      title: messages.columns.metric,
      width: '84px',
      cell: ({ metric }) => metricTitle(metric),
      sort: ({ metric }) => metric,
    },
    {
      id: 'value',
      title: messages.columns.observed,
      numeric: true,
      width: '72px',
      cell: ({ value, unit }) => formatValue(value, unit),
      sort: ({ value }) => value,
    },
    {
      id: 'typical',
      title: messages.columns.expected,
      numeric: true,
      width: '104px',
      cell: ({ typical, unit, against }) => (
        <>
          <span className="muted">{against === 'peers' ? messages.columns.peers : messages.columns.usual}</span>{' '}
          {formatValue(typical, unit)}
        </>
      ),
      sort: ({ typical }) => typical,
    },
    {
      id: 'since',
      title: messages.columns.since,
      width: timeWidth,
      optional: true,
      cell: ({ since_ns }) => timeText(since_ns),
      sort: ({ since_ns }) => since_ns,
      instant: ({ since_ns }) => nanos(since_ns),
    },
  ];
}
