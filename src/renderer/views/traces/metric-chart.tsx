import { useMemo, useState } from 'react';
import type { TraceMetric } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import {
  type MetricSeries,
  rangeOfSeries,
  seriesFigures,
  seriesName,
  seriesPath,
} from '../../draw/traces/metric-series.ts';
import { setPlayhead, useFocus } from '../../state/focus.ts';
import { useAnnotationList, useIncident } from '../../state/known.ts';
import { addMetricLane, laneOfSeries, removeMetricLane } from '../../state/metric-lanes.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';
import { MetricCompare } from './metric-compare.tsx';
import { metricMessages } from './metric-messages.ts';

const HEIGHT = 220;
const COLORS = 8;

/** Series over time, with a table of the same: a row is found in the chart by its colour, number and on selection. */
export function MetricChart({ metric, query }: { readonly metric: TraceMetric; readonly query: string }) {
  const { place, width } = useWidth();
  const [selected, setSelected] = useState<string | null>(null);
  const { series, unit, start_ns, step_ns, omitted, comparison } = metric;
  const shown = series.length === 1 ? series[0] : series.find((one) => seriesName(one) === selected);
  const range = useMemo(() => rangeOfSeries(series), [series]);
  const count = series[0]?.values.length ?? 1;
  const window = { startNs: nanos(start_ns), endNs: nanos(start_ns + step_ns * BigInt(count)) };
  const columns = useMemo(() => columnsOf(metric), [metric]);
  if (series.length === 0) return <p className="empty muted">{metricMessages.none}</p>;
  return (
    <div className="trace-metric" data-testid="trace-metric">
      <TimeAxis window={window} width={width} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: arrow keys move the playhead. */}
      <div
        className="trace-metric-chart"
        ref={place}
        onClick={({ clientX, currentTarget }) => {
          const x = clientX - currentTarget.getBoundingClientRect().left;
          setPlayhead(nanos(start_ns + BigInt(Math.round((x / width) * Number(window.endNs - window.startNs)))));
        }}
      >
        <svg width={width} height={HEIGHT} role="img" aria-label={metricMessages.chart(series.length)}>
          <Marks window={window} width={width} />
          {series.map((one, at) => (
            <path
              key={seriesName(one)}
              className={`metric-line of-series-${1 + (at % COLORS)}${selected === seriesName(one) ? ' selected' : ''}`}
              d={seriesPath(one, { width, height: HEIGHT - 2, range })}
            />
          ))}
        </svg>
        <span className="scatter-label top">{formatValue(range[1], unit)}</span>
        <span className="scatter-label bottom">{formatValue(range[0], unit)}</span>
      </div>
      {comparison ? <MetricCompare comparison={comparison} /> : <LaneButton {...{ query, unit }} series={shown} />}
      <DataTable<MetricSeries>
        label={metricMessages.table}
        columns={columns}
        rows={series}
        keyOf={seriesName}
        selected={selected}
        onSelect={(one) => setSelected(selected === seriesName(one) ? null : seriesName(one))}
        empty={metricMessages.none}
      />
      {omitted > 0 ? <p className="muted">{metricMessages.omitted(omitted)}</p> : null}
    </div>
  );
}

interface LaneButtonProps {
  readonly query: string;
  readonly series: MetricSeries | undefined;
  readonly unit: string;
}

/** Adds the selected series to the timeline, or takes it away. */
function LaneButton({ query, series, unit }: LaneButtonProps) {
  const list = useAnnotationList();
  const lane = series && laneOfSeries(list, { query, series });
  const name = series && series.labels.length > 0 ? seriesName(series) : query;
  const run = () => {
    if (lane) void removeMetricLane(lane);
    else if (series) void addMetricLane({ query, series, unit, name });
  };
  return (
    <div className="trace-metric-bar">
      <button
        type="button"
        disabled={!series}
        title={series ? metricMessages.laneTitle : metricMessages.selectSeries}
        onClick={run}
      >
        {lane ? metricMessages.isLane : metricMessages.lane}
      </button>
      {series ? (
        <span className="muted ellipsis">{name}</span>
      ) : (
        <span className="muted">{metricMessages.selectSeries}</span>
      )}
    </div>
  );
}

/** The impact of the selected incident and the playhead, as on the timeline. */
function Marks({ window, width }: { readonly window: { startNs: bigint; endNs: bigint }; readonly width: number }) {
  const view = useIncident(useFocus((focus) => focus.incident));
  const playhead = useFocus((focus) => focus.playhead);
  const xOf = (time: bigint): number =>
    Math.min(width, Math.max(0, (Number(time - window.startNs) / Number(window.endNs - window.startNs)) * width));
  return (
    <g className="scatter-impact">
      {view ? (
        <rect x={xOf(view.onset_ns)} y={0} width={xOf(view.end_ns) - xOf(view.onset_ns)} height={HEIGHT}>
          <title>{messages.scatter.impact}</title>
        </rect>
      ) : null}
      {playhead === null ? null : (
        <line className="metric-playhead" x1={xOf(playhead)} x2={xOf(playhead)} y1={0} y2={HEIGHT} />
      )}
    </g>
  );
}

function columnsOf({ series, unit }: TraceMetric): readonly Column<MetricSeries>[] {
  const places = new Map(series.map((one, at) => [one, at]));
  const color = (one: MetricSeries): number => 1 + ((places.get(one) ?? 0) % COLORS);
  const figure = (id: 'mean' | 'max'): Column<MetricSeries> => ({
    id,
    title: metricMessages[id],
    numeric: true,
    width: '110px',
    cell: (one) => formatValue(seriesFigures(one)[id], unit),
    sort: (one) => seriesFigures(one)[id],
    sheet: { cell: (one) => seriesFigures(one)[id] },
  });
  return [
    {
      id: 'series',
      title: metricMessages.series(series[0]?.labels.map(({ name }) => name).join(', ') ?? ''),
      width: 'minmax(160px, 1fr)',
      cell: (one) => (
        <span title={seriesName(one)}>
          <i className={`metric-key of-series-${color(one)}`} /> {seriesName(one)}
        </span>
      ),
      sort: seriesName,
    },
    figure('mean'),
    figure('max'),
  ];
}
