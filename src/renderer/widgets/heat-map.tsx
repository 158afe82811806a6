import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type Nanos, nanos } from '../../model/time.ts';
import { entityTarget } from '../state/actions.ts';
import { setCursor, setPlayhead } from '../state/focus.ts';
import { openAt } from './action-menu.tsx';
import { HeatCells } from './heat-cells.tsx';
import { CellText, type HeatMark, type HeatTexts, Marks, RowMarks, type RowRun } from './heat-map-parts.tsx';
import { Groups, nameWidths, RowNames } from './heat-map-rows.tsx';
import { messages } from './messages.ts';
import { TimeAxis } from './time-axis.tsx';
import { useTimeBrush } from './use-time-brush.ts';
import { useWidth } from './use-width.ts';
import { bucketsOf, type HeatRows, takeRows, walkRows } from './walk-rows.ts';
import './heat-map.css';

/** Large enough for the mouse, small enough for a rack of machines. */
const HIGHEST_PX = 14;
const LOWEST_PX = 2;
/** From so many rows on, each has a single pixel: browsers draw no canvas of any height. */
const MANY_ROWS = 2000;
const ROOM_PX = 280;
/** About the height of the axis. */
const EDGE_PX = 24;

export interface HeatMapProps extends HeatTexts {
  readonly rows: HeatRows;
  readonly label: string;
  /** What adjacent rows have in common, such as their machine; '': unknown. */
  readonly groupOf: (row: number) => string;
  /** Next to the row; absent: only groups are named. */
  readonly shortNameOf?: (row: number) => string;
  /** What happened in rows at one time. */
  readonly marks?: readonly HeatMark[];
  /** Values at the ends of the colour scale. */
  readonly range: readonly [number, number];
  /** Between the axis and the rows. */
  readonly band?: (width: number) => ReactNode;
}

const rowHeight = (rows: number): number =>
  rows > MANY_ROWS ? 1 : Math.max(LOWEST_PX, Math.min(HIGHEST_PX, Math.floor(ROOM_PX / Math.max(1, rows))));

/** Heat map of entities over the window; arrow keys move through it, a click selects a row and a time. */
export function HeatMap({ rows, label, groupOf, shortNameOf, marks, range, band, ...texts }: HeatMapProps) {
  const { values, entities, window, order, selected, taken, onSelect } = rows;
  const { place, width } = useWidth();
  const rowPx = rowHeight(order.length);
  const height = order.length * rowPx;
  const [hovered, hover] = useState<number | null>(null);
  const under = ({
    clientX,
    clientY,
    currentTarget,
  }: MouseEvent): { place: number; row: number | undefined; time: Nanos } => {
    const rect = currentTarget.getBoundingClientRect();
    const part = (clientX - rect.left) / Math.max(1, rect.width);
    const time = nanos(window.startNs + BigInt(Math.round(part * Number(window.endNs - window.startNs))));
    const at = Math.min(Math.max(Math.floor((clientY - rect.top) / rowPx), 0), order.length - 1);
    return { place: at, row: order[at], time };
  };
  const brushing = useTimeBrush((event) => under(event).time);
  const widths = useMemo(() => nameWidths(order, shortNameOf), [order, shortNameOf]);
  const firstPlace = useRef(0);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => showRow(scroller.current, order.indexOf(selected) * rowPx), [order, selected, rowPx]);
  return (
    <div className="heat-map-pane" style={widths}>
      <div className="heat-map-scroll" ref={scroller}>
        <div className="heat-map-axis">
          <TimeAxis window={window} width={width} />
        </div>
        {band ? <div className="heat-map-band">{band(width)}</div> : null}
        <div className="heat-map" style={{ height }}>
          <div className="heat-map-names" aria-hidden="true">
            <Groups order={order} groupOf={groupOf} rowPx={rowPx} />
            {shortNameOf ? (
              <RowNames order={order} nameOf={shortNameOf} rowPx={rowPx} named={hovered ?? selected} />
            ) : null}
          </div>
          <div
            ref={place}
            className="heat-map-cells"
            role="application"
            aria-roledescription={messages.heatMap.role}
            aria-label={label}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys move through the cells
            tabIndex={0}
            data-testid="heat-map"
            onKeyDown={(event) => walkRows(event, rows)}
            onContextMenu={(event) => {
              const entityKey = entities[under(event).row ?? -1];
              if (entityKey !== undefined) openAt(event, () => entityTarget(entityKey));
            }}
            onPointerDown={(event) => {
              firstPlace.current = under(event).place;
              brushing.onPointerDown(event);
            }}
            onPointerUp={(event) => {
              // A brush within a row selects a time range, as on every chart; across rows it selects these too.
              const last = under(event).place;
              if (brushing.brush(event) && last !== firstPlace.current) takeRows(rows, firstPlace.current, last);
              brushing.onPointerUp();
            }}
            onPointerMove={(event) => {
              const { row, time } = under(event);
              hover(row ?? null);
              if (!brushing.brush(event)) setCursor(time);
            }}
            onPointerLeave={() => {
              hover(null);
              setCursor(null);
            }}
            onClick={(event) => {
              if (brushing.ends()) return;
              const { row, time } = under(event);
              if (row !== undefined) onSelect(row);
              setPlayhead(time);
            }}
          >
            <HeatCells {...{ values, buckets: bucketsOf(rows), order, rowPx, width, height, range }} />
            <Marks window={window} width={width} rows={takenRows(order, taken)} rowPx={rowPx} />
            {marks ? <RowMarks marks={marks} order={order} window={window} width={width} rowPx={rowPx} /> : null}
          </div>
        </div>
      </div>
      <CellText {...texts} rows={rows} at={hovered ?? (selected < 0 ? null : selected)} />
    </div>
  );
}

/** Scrolls to a row that is out of sight. */
function showRow(scroller: HTMLElement | null, top: number): void {
  if (!scroller || top < 0) return;
  const { scrollTop, clientHeight, scrollHeight } = scroller;
  if (scrollHeight > clientHeight && (top < scrollTop || top > scrollTop + clientHeight - 2 * EDGE_PX))
    scroller.scrollTop = top - clientHeight / 2;
}

/** Runs of adjacent selected rows. */
function takenRows(order: readonly number[], taken: ReadonlySet<number>): readonly RowRun[] {
  const runs: { first: number; rows: number }[] = [];
  for (const [place, row] of order.entries()) {
    if (!taken.has(row)) continue;
    const last = runs.at(-1);
    if (last && last.first + last.rows === place) last.rows++;
    else runs.push({ first: place, rows: 1 });
  }
  return runs;
}
