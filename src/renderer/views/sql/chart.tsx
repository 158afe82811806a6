import { AxisBottom, AxisLeft } from '@visx/axis';
import { scaleBand, scaleLinear } from '@visx/scale';
import { LinePath } from '@visx/shape';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Table } from '../../../model/contract/index.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { axisTicks } from '../../draw/canvas/axis.ts';
import { timeScale } from '../../draw/canvas/time-scale.ts';
import {
  type ChartData,
  type ChartPoint,
  chartData,
  type Drawing,
  heightRange,
} from '../../draw/tables/chart-model.ts';
import { formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatNumber } from '../../draw/text/format-value.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import { messages } from './messages.ts';

export interface ChartProps {
  readonly table: Table;
  readonly drawing: Drawing;
}

const MARGIN = { left: 64, right: 36, top: 12, bottom: 40 };
/** Dash patterns, so that series do not depend on colour. */
const DASHES = ['', '6 3', '2 3', '9 3 2 3', '12 4', '4 2 1 2'];
const COLOURS = ['accent', 'layer-power', 'layer-network', 'layer-gpu', 'layer-orchestrator', 'layer-cooling'];
const colourOf = (at: number): string => `var(--${COLOURS[at % COLOURS.length]})`;

/** A query result as lines over time or a number, or as bars by name. A click on an instant moves the focus there. */
export function Chart({ table, drawing }: ChartProps) {
  const { place, width, height } = useSize();
  const format = useTimeFormat();
  const [pointed, point] = useState<number | null>(null);
  const data = useMemo(() => chartData(table, drawing), [table, drawing]);
  const along = table.columns[drawing.along]?.name ?? '';
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const scales = useMemo(() => scalesOf(data, inner.width, inner.height), [data, inner.width, inner.height]);
  const words = messages.chart.title(data.kind === 'name', data.series.map(({ title }) => title).join(', '), along);
  const isEmpty = data.series.every(({ points }) => points.every(({ y }) => y === null));
  const placeUnder = (event: PointerEvent<Element>): number =>
    scales.value(event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left);
  const brushing = useTimeBrush((event) => instantAt(data, placeUnder(event)));
  const selectPointed = () => {
    const time = pointed === null ? null : instantAt(data, pointed);
    if (time !== null) select(null, time);
  };
  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (event.key === 'Enter') selectPointed();
    else if (by !== 0) point(nextX(data, pointed, by));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="sql-chart" ref={place}>
      {inner.width > 40 && inner.height > 40 ? (
        <svg
          width={width}
          height={height}
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys move through the points
          tabIndex={0}
          aria-roledescription={messages.chart.role}
          aria-label={messages.chart.label(words)}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => data.kind === 'time' && brushing.onPointerDown(event)}
          onPointerUp={brushing.onPointerUp}
          onPointerMove={(event) => brushing.brush(event) || point(nearestX(data, placeUnder(event)))}
          onPointerLeave={() => point(null)}
          onClick={() => brushing.ends() || selectPointed()}
        >
          <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
            <Brush data={data} scales={scales} height={inner.height} />
            <Axes data={data} scales={scales} {...inner} format={format} title={along} />
            {data.series.map(({ title, points }, at) => (
              <Series key={title} data={data} points={points} scales={scales} at={at} of={data.series.length} />
            ))}
            {pointed === null ? null : (
              <line className="chart-cursor" x1={scales.x(pointed)} x2={scales.x(pointed)} y1={0} y2={inner.height} />
            )}
          </g>
        </svg>
      ) : null}
      <Legend data={data} at={pointed} format={format} />
      {isEmpty ? <p className="empty muted">{messages.chart.noNumbers}</p> : null}
    </div>
  );
}

interface BrushProps {
  readonly data: ChartData;
  readonly scales: Scales;
  readonly height: number;
}

/** The brushed window, if the x axis is time. */
function Brush({ data: { kind, origin }, scales, height }: BrushProps) {
  const brush = useFocus((focus) => focus.brush);
  if (brush === null || kind !== 'time' || origin === null) return null;
  const [from, until] = [brush.startNs, brush.endNs].map((time) => scales.x(Number(time - origin) / 1e9)) as [
    number,
    number,
  ];
  return <rect className="chart-brush" x={from} width={Math.max(0, until - from)} y={0} height={height} />;
}

/** The next x value; without a current one, the first or the last. */
function nextX({ series }: ChartData, from: number | null, by: 1 | -1): number | null {
  const places = series.flatMap(({ points }) => points.map(({ x }) => x)).toSorted((a, b) => (a - b) * by);
  return places.find((x) => from === null || (x - from) * by > 0) ?? from;
}

interface Scales {
  /** Pixels of an x value; for a name, the middle of its band. */
  readonly x: (value: number) => number;
  /** Inverse of `x`. */
  readonly value: (pixel: number) => number;
  readonly y: ReturnType<typeof scaleLinear<number>>;
  readonly ticks: readonly number[];
  /** Pixels per name. */
  readonly band: number;
}

function scalesOf(data: ChartData, width: number, height: number): Scales {
  const [low, high] = heightRange(data);
  const y = scaleLinear({ domain: [low, high], range: [Math.max(1, height), 0], nice: true });
  const ticks = y.ticks(Math.max(2, Math.floor(height / 40)));
  if (data.kind === 'name') {
    const band = scaleBand({ domain: data.names.map((_, at) => at), range: [0, width], paddingInner: 0.2 });
    const step = width / Math.max(1, data.names.length);
    const x = (value: number): number => (band(value) ?? 0) + band.bandwidth() / 2;
    return { x, value: (pixel) => Math.floor(pixel / step), y, ticks, band: band.bandwidth() };
  }
  const all = data.series.flatMap(({ points }) => [points[0]?.x ?? 0, points.at(-1)?.x ?? 1]);
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const x = scaleLinear({ domain: first === last ? [first - 0.5, last + 0.5] : [first, last], range: [0, width] });
  return { x: (value) => x(value), value: (pixel) => x.invert(pixel), y, ticks, band: 0 };
}

interface AxesProps {
  readonly data: ChartData;
  readonly scales: Scales;
  readonly width: number;
  readonly height: number;
  readonly format: TimeFormat;
  readonly title: string;
}

function Axes({ data, scales, width, height, format, title }: AxesProps) {
  const bottom = ticksAlong(data, scales, width, format);
  const label = data.kind === 'time' ? `${title} (${zoneName(format.mode)})` : title;
  const plain = scaleLinear({ domain: [0, width], range: [0, width] });
  return (
    <>
      {scales.ticks.map((tick) => (
        <line key={tick} className="chart-grid" x1={0} x2={width} y1={scales.y(tick)} y2={scales.y(tick)} />
      ))}
      <AxisLeft
        scale={scales.y}
        tickValues={[...scales.ticks]}
        tickFormat={(tick) => formatNumber(Number(tick))}
        axisLineClassName="chart-axis"
        tickClassName="chart-tick"
        hideTicks
      />
      <AxisBottom
        top={height}
        scale={plain}
        tickValues={bottom.map(({ x }) => x)}
        tickFormat={(_, at) => bottom[at]?.text ?? ''}
        label={label}
        labelOffset={14}
        labelClassName="chart-label"
        axisLineClassName="chart-axis"
        tickClassName="chart-tick"
        tickLength={4}
      />
    </>
  );
}

interface ChartTick {
  readonly x: number;
  readonly text: string;
}

const PIXELS_PER_NUMBER = 90;
const PIXELS_PER_LETTER = 6.5;

function ticksAlong(data: ChartData, scales: Scales, width: number, format: TimeFormat): readonly ChartTick[] {
  const [first, last] = [scales.value(0), scales.value(width)];
  if (data.kind === 'time') {
    const [from, until] = [instantAt(data, first), instantAt(data, last)];
    if (from === null || until === null) return [];
    const scale = timeScale(from, until, width);
    return axisTicks(scale, format).map(({ x, label }) => ({ x, text: label }));
  }
  if (data.kind === 'number') {
    const ticks = scaleLinear({ domain: [first, last], range: [0, width] }).ticks(
      Math.floor(width / PIXELS_PER_NUMBER),
    );
    return ticks.map((tick) => ({ x: scales.x(tick), text: formatNumber(tick) }));
  }
  const letters = Math.max(1, Math.floor(width / Math.max(1, data.names.length) / PIXELS_PER_LETTER) - 1);
  const cut = (name: string): string => (name.length > letters ? `${name.slice(0, Math.max(1, letters - 1))}…` : name);
  return letters < 3 ? [] : data.names.map((name, at) => ({ x: scales.x(at), text: cut(name) }));
}

interface SeriesProps {
  readonly data: ChartData;
  readonly points: readonly ChartPoint[];
  readonly scales: Scales;
  readonly at: number;
  readonly of: number;
}

const DOTS_BELOW = 80;

function Series({ data, points, scales, at, of }: SeriesProps) {
  const colour = colourOf(at);
  if (data.kind === 'name') {
    const width = scales.band / of;
    const zero = scales.y(0);
    return points.map(({ x, y }) =>
      y === null ? null : (
        <rect
          key={x}
          x={scales.x(x) - scales.band / 2 + at * width}
          width={Math.max(1, width - 1)}
          y={Math.min(zero, scales.y(y))}
          height={Math.max(1, Math.abs(zero - scales.y(y)))}
          fill={colour}
          fillOpacity={1 - at * 0.2}
        />
      ),
    );
  }
  const known = points.filter(({ y }) => y !== null);
  return (
    <>
      <LinePath
        data={[...points]}
        x={({ x }) => scales.x(x)}
        y={({ y }) => scales.y(y ?? 0)}
        defined={({ y }) => y !== null}
        stroke={colour}
        strokeDasharray={DASHES[at % DASHES.length]}
        fill="none"
      />
      {known.length > DOTS_BELOW
        ? null
        : known.map(({ x, y }, dot) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two points may share a position
            <circle key={dot} cx={scales.x(x)} cy={scales.y(y ?? 0)} r={2} fill={colour} />
          ))}
    </>
  );
}

interface LegendProps {
  readonly data: ChartData;
  /** The hovered x value. */
  readonly at: number | null;
  readonly format: TimeFormat;
}

function Legend({ data, at, format }: LegendProps) {
  const where = at === null ? null : placeText(data, at, format);
  return (
    <p className="chart-legend" aria-live="polite">
      {data.series.map(({ title, points }, one) => {
        const value = at === null ? undefined : points.find(({ x }) => x === at);
        return (
          <span key={title}>
            <svg width="22" height="8" aria-hidden="true">
              <line
                x1="0"
                x2="22"
                y1="4"
                y2="4"
                stroke={colourOf(one)}
                strokeWidth="2"
                strokeDasharray={DASHES[one % DASHES.length]}
              />
            </svg>{' '}
            {title}
            {value === undefined ? null : (
              <strong> {value.y === null ? messages.unknown : formatNumber(value.y)}</strong>
            )}
          </span>
        );
      })}
      {where === null ? null : <span className="muted">{messages.chart.at(where)}</span>}
      {data.left > 0 ? <span className="muted">{messages.chart.notDrawn(formatNumber(data.left))}</span> : null}
    </p>
  );
}

function placeText(data: ChartData, at: number, format: TimeFormat): string {
  if (data.kind === 'name') return data.names[at] ?? '';
  const time = instantAt(data, at);
  return time === null ? formatNumber(at) : formatTime(time, format, 3);
}

const instantAt = ({ kind, origin }: ChartData, seconds: number): Nanos | null =>
  kind === 'time' && origin !== null ? nanos(origin + BigInt(Math.round(seconds * 1e9))) : null;

function nearestX({ series }: ChartData, value: number): number | null {
  let best: number | null = null;
  for (const { points } of series)
    for (const { x } of points) if (best === null || Math.abs(x - value) < Math.abs(best - value)) best = x;
  return best;
}

function useSize() {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => setSize({ width: element.clientWidth, height: Math.max(120, element.clientHeight - 28) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { place, ...size };
}
