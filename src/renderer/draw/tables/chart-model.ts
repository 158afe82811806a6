import type { Table } from '../../../model/contract/index.ts';
import { type Nanos, secondsBetween } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { type Cell, instantOf, isInstant, type TableColumn } from './table-cells.ts';

/** Kind of the x axis: times and numbers have a distance, names have none. */
export type AxisKind = 'time' | 'number' | 'name';

/** Indexes of the table columns that a chart can show. */
export interface Chartable {
  /** Possible x axes, the most likely first. */
  readonly along: readonly number[];
  /** Possible y values. */
  readonly heights: readonly number[];
  /** Columns that can split one y value into several series. */
  readonly by: readonly number[];
}

/** The columns that a chart shows. */
export interface Drawing {
  readonly along: number;
  readonly heights: readonly number[];
  /** Each value of this column becomes a series of the first height; null: each height is a series. */
  readonly by: number | null;
}

/** More series than this cannot be distinguished. */
export const MOST_SERIES = 6;

const isNumber = ({ type }: TableColumn): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/.test(type);
/** An id is a number without a meaning as a height. */
const isIdentity = ({ name }: TableColumn): boolean => /(^|_)id$/.test(name);

export function axisKind(column: TableColumn): AxisKind {
  if (isInstant(column)) return 'time';
  return isNumber(column) ? 'number' : 'name';
}

export function chartable({ columns }: Table): Chartable {
  const places = [...columns.keys()];
  const kind = (at: number): AxisKind => axisKind(columns[at]!);
  const order: readonly AxisKind[] = ['time', 'name', 'number'];
  return {
    along: places.toSorted((a, b) => order.indexOf(kind(a)) - order.indexOf(kind(b)) || a - b),
    heights: places.filter((at) => kind(at) === 'number' && !isIdentity(columns[at]!)),
    by: places.filter((at) => kind(at) === 'name'),
  };
}

/** The most useful first chart: the first number over time, grouped by name if several rows share an instant. */
export function firstDrawing(table: Table): Drawing {
  const {
    along: [along = 0],
    heights,
    by,
  } = chartable(table);
  const height = heights.find((at) => at !== along);
  const places = table.rows.map((row) => String(row[along]));
  const repeats = new Set(places).size < places.length;
  return {
    along,
    heights: height === undefined ? [] : [height],
    by: repeats ? (by.find((at) => at !== along) ?? null) : null,
  };
}

export interface ChartPoint {
  /** Seconds after the first instant, a number, or the index of a name. */
  readonly x: number;
  /** null: unknown; the line has a gap there. */
  readonly y: number | null;
}

export interface ChartSeries {
  readonly title: string;
  /** In ascending order of x. */
  readonly points: readonly ChartPoint[];
}

export interface ChartData {
  readonly kind: AxisKind;
  /** The first instant, if the x axis is time. */
  readonly origin: Nanos | null;
  /** In display order, if the x axis is names. */
  readonly names: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Rows that are not drawn: without an x value, or beyond {@link MOST_NAMES}. */
  readonly left: number;
}

/** More bars than this would be hairlines. */
export const MOST_NAMES = 60;

export function chartData(table: Table, drawing: Drawing): ChartData {
  const column = table.columns[drawing.along]!;
  const kind = axisKind(column);
  const placed =
    kind === 'name' ? placeNames(table.rows, drawing.along) : placeNumbers(table.rows, drawing.along, column);
  const lines = linesOf(table, drawing, placed.rows);
  const series = lines.map(({ title, height, rows }) => ({
    title,
    points: rows.map(({ x, row }) => ({ x, y: figure(row[height]) })),
  }));
  const drawn = new Set(lines.flatMap(({ rows }) => rows));
  return { kind, origin: placed.origin, names: placed.names, series, left: table.rows.length - drawn.size };
}

type Row = Table['rows'][number];
interface PlacedRow {
  readonly x: number;
  readonly row: Row;
}
type Placed = Pick<ChartData, 'origin' | 'names'> & { readonly rows: readonly PlacedRow[] };

function placeNumbers(rows: readonly Row[], along: number, column: TableColumn): Placed {
  const isTime = isInstant(column);
  const instants = rows.map((row) => (isTime ? instantOf(column, row[along] ?? null) : null));
  const origin = instants.reduce(
    (first, time) => (time !== null && (first === null || time < first) ? time : first),
    null,
  );
  const placed = rows.flatMap((row, at) => {
    const time = instants[at] ?? null;
    const distance = time === null || origin === null ? null : secondsBetween(origin, time);
    const x = isTime ? distance : figure(row[along]);
    return x === null ? [] : [{ x, row }];
  });
  return { origin, names: [], rows: placed.sort((a, b) => a.x - b.x) };
}

function placeNames(rows: readonly Row[], along: number): Placed {
  const places = new Map<string, number>();
  const placed = rows.flatMap((row) => {
    const name = String(row[along] ?? messages.none);
    if (!places.has(name) && places.size < MOST_NAMES) places.set(name, places.size);
    const x = places.get(name);
    return x === undefined ? [] : [{ x, row }];
  });
  return { origin: null, names: [...places.keys()], rows: placed };
}

interface Line {
  readonly title: string;
  readonly height: number;
  readonly rows: readonly PlacedRow[];
}

function linesOf({ columns }: Table, { heights, by }: Drawing, rows: readonly PlacedRow[]): readonly Line[] {
  const [first] = heights;
  if (by === null || first === undefined)
    return heights.slice(0, MOST_SERIES).map((height) => ({ title: columns[height]?.name ?? '', height, rows }));
  const groups = Map.groupBy(rows, ({ row }) => String(row[by] ?? messages.none));
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_SERIES)
    .map(([title, own]) => ({ title, height: first, rows: own }));
}

/** A cell as a number; null if it is none. */
function figure(cell: Cell | undefined): number | null {
  if (cell === null || cell === undefined || cell === '' || typeof cell === 'boolean') return null;
  const number = Number(cell);
  return Number.isFinite(number) ? number : null;
}

/** From the lowest to the highest value; bars start at zero. */
export function heightRange({ series, kind }: ChartData): readonly [number, number] {
  let low = kind === 'name' ? 0 : Number.POSITIVE_INFINITY;
  let high = kind === 'name' ? 0 : Number.NEGATIVE_INFINITY;
  for (const { points } of series)
    for (const { y } of points)
      if (y !== null) {
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
  if (low > high) return [0, 1];
  return low === high ? [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2] : [low, high];
}
