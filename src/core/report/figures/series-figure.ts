import { momentText } from '../report-text.ts';
import { ink, label, line, px, rect, scale, shorten, svgDocument, ticks } from './svg.ts';

/** One line over time; NaN is where nothing was recorded, and no line is drawn across it. */
export interface DrawnSeries {
  readonly name: string;
  /** What is measured of it, where the name is that of a device. */
  readonly measure?: string;
  readonly unit: string;
  /** Behind the number 1, if it differs there. */
  readonly oneUnit?: string;
  /** Evidence id of what it is about. */
  readonly ref: string;
  readonly time_ns: readonly bigint[];
  readonly value: ArrayLike<number>;
}

export interface SeriesFigure {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly series: readonly DrawnSeries[];
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly onset_ns: bigint;
  readonly until_ns: bigint;
}

const WIDTH = 760;
const LEFT = 170;
const RIGHT = 16;
const PANEL = 72;
const TOP = 30;
const GAP = 14;

/** A panel per series on one axis of time, the impact shaded through all of them. Seconds are counted from the onset. */
export function seriesFigure(figure: SeriesFigure): string {
  const { id, title, description, series, start_ns, end_ns, onset_ns, until_ns } = figure;
  const height = TOP + series.length * (PANEL + GAP) + 26;
  const seconds = (ns: bigint): number => Number(ns - onset_ns) / 1e9;
  const span: [number, number] = [seconds(start_ns), seconds(end_ns)];
  const x = scale(span, [LEFT, WIDTH - RIGHT]);
  const bottom = height - 26;
  const body = [
    label(LEFT, 16, `${title}; onset ${momentText(onset_ns)}`, { bold: true }),
    rect(x(0), TOP, Math.max(1, x(seconds(until_ns)) - x(0)), bottom - TOP, `fill="${ink.impact}"`),
    line(x(0), TOP, x(0), bottom, ink.critical, ' stroke-dasharray="4 3"'),
    ...series.flatMap((one, at) => panel(one, TOP + at * (PANEL + GAP), { x, seconds, span })),
    ...ticks(span, 8).flatMap((at) => [
      line(x(at), bottom, x(at), bottom + 4, ink.muted),
      label(x(at), bottom + 16, at === 0 ? 'onset' : `${at > 0 ? '+' : ''}${at} s`, {
        anchor: 'middle',
        fill: ink.muted,
      }),
    ]),
  ];
  return svgDocument({ id, title, description, width: WIDTH, height }, body);
}

interface Axis {
  readonly x: (value: number) => number;
  readonly seconds: (ns: bigint) => number;
  readonly span: readonly [number, number];
}

function panel(
  { name, measure, unit, time_ns, value }: DrawnSeries,
  top: number,
  { x, seconds, span }: Axis,
): string[] {
  const points = time_ns.map((ns, i) => ({ at: seconds(ns), value: value[i] ?? Number.NaN }));
  const seen = points.filter((one) => one.at >= span[0] && one.at <= span[1] && Number.isFinite(one.value));
  const high = seen.reduce((most, one) => Math.max(most, one.value), 0);
  const y = scale([0, high === 0 ? 1 : high], [top + PANEL, top + 4]);
  const steps = ticks([0, high === 0 ? 1 : high], 3);
  return [
    ...steps.flatMap((at) => [
      line(LEFT, y(at), WIDTH - RIGHT, y(at), ink.hairline),
      label(LEFT - 6, y(at) + 4, `${at}`, { anchor: 'end', fill: ink.muted }),
    ]),
    label(4, top + 14, shorten(name, 24)),
    label(4, top + 28, measure === undefined ? unit : `${measure}, ${unit}`, { fill: ink.muted }),
    ...(seen.length === 0 ? [label(LEFT + 6, top + PANEL / 2, 'not recorded', { fill: ink.muted })] : []),
    ...runsOf(points.filter(({ at }) => at >= span[0] && at <= span[1])).map((run) =>
      run.length === 1
        ? `<circle cx="${px(x(run[0]?.at ?? 0))}" cy="${px(y(run[0]?.value ?? 0))}" r="2" fill="${ink.accent}"/>`
        : `<polyline fill="none" stroke="${ink.accent}" stroke-width="1.5" points="${run.map((one) => `${px(x(one.at))},${px(y(one.value))}`).join(' ')}"/>`,
    ),
  ];
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** A gap stays a gap. */
function runsOf(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (Number.isFinite(point.value)) runs.at(-1)?.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}
