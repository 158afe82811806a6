import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { visibleLine } from '../../../base/visible-text.ts';
import { timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { formatNumber } from '../../draw/text/format-value.ts';
import { BUCKETS, type Cells, chooseCells, type FoundHeat, timeOfColumns, useFleet } from '../../state/fleet-draft.ts';
import { HeatCells } from '../../widgets/heat-cells.tsx';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from '../messages/fleet.ts';
import { moveByKey } from './cell-keys.ts';
import { utcText } from './utc-text.ts';
import '../../widgets/heat-map.css';

const ROW_PX = 18;
/** The colours end at three times worse at least, so that a fleet that is well does not look ill. */
const LEAST_END = 3;
/** Outlines of impacts; the others are in the colours and in the table. */
const MOST_OUTLINED = 300;

/** Services by time, the worst first: how much worse than its own baseline each did. */
export function FleetHeatMap({ found }: { readonly found: FoundHeat }) {
  const { rows, values, window, impacts } = found;
  const { place, width } = useWidth();
  const order = useMemo(() => [...rows.keys()], [rows]);
  const worst = useMemo(() => values.reduce((most, value) => (value > most ? value : most), LEAST_END), [values]);
  // By factors: twice as bad is as far from normal as four times from twice.
  const factors = useMemo(() => values.map(Math.log2), [values]);
  const range = useMemo(() => [0, Math.log2(worst)] as const, [worst]);
  const cells = useFleet((state) => state.cells);
  const [hovered, hover] = useState<Cells | null>(null);
  const brush = useBrush(rows.length, hover);
  const format = { mode: 'utc', originNs: window.startNs } as const;
  const height = rows.length * ROW_PX;
  return (
    <div className="heat-map-pane fleet-heat">
      <div className="heat-map-scroll">
        <div className="heat-map-axis">
          <TimeAxis window={window} width={width} format={format} />
        </div>
        <div className="heat-map" style={{ height }}>
          <div className="fleet-names" aria-hidden="true">
            {rows.map((service) => (
              <span key={service} className="ellipsis" title={visibleLine(service)} style={{ height: ROW_PX }}>
                {visibleLine(service)}
              </span>
            ))}
          </div>
          <div
            ref={place}
            className="heat-map-cells"
            role="application"
            aria-roledescription={messages.role}
            aria-label={messages.heat(rows.length)}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys move through the cells
            tabIndex={0}
            data-testid="fleet-heat"
            onKeyDown={(event) => moveByKey(event, rows.length)}
            {...brush}
          >
            <HeatCells {...{ values: factors, buckets: BUCKETS, order, rowPx: ROW_PX, width, height, range }} />
            <Outlines found={found} impacts={impacts.slice(0, MOST_OUTLINED)} width={width} />
            {cells ? <Frame cells={cells} width={width} /> : null}
          </div>
        </div>
      </div>
      <Words found={found} at={hovered ?? cells} worst={worst} />
    </div>
  );
}

/** A drag selects services and a time; a click selects a cell. */
function useBrush(rows: number, hover: (cells: Cells | null) => void) {
  const from = useRef<readonly [number, number] | null>(null);
  const under = ({ clientX, clientY, currentTarget }: PointerEvent): readonly [number, number] => {
    const rect = currentTarget.getBoundingClientRect();
    const within = (share: number, count: number): number =>
      Math.min(count - 1, Math.max(0, Math.floor(share * count)));
    const row = within((clientY - rect.top) / Math.max(1, rect.height), rows);
    return [row, within((clientX - rect.left) / Math.max(1, rect.width), BUCKETS)];
  };
  const cellsTo = ([row, column]: readonly [number, number]): Cells => {
    const [firstRow, firstColumn] = from.current ?? [row, column];
    return {
      rows: [Math.min(firstRow, row), Math.max(firstRow, row)],
      columns: [Math.min(firstColumn, column), Math.max(firstColumn, column)],
    };
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      from.current = under(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      useFleet.setState({ cells: cellsTo(from.current) });
    },
    onPointerMove: (event: PointerEvent) => {
      const at = under(event);
      hover({ rows: [at[0], at[0]], columns: [at[1], at[1]] });
      if (from.current) useFleet.setState({ cells: cellsTo(at) });
    },
    onPointerUp: (event: PointerEvent) => {
      if (!from.current) return;
      chooseCells(cellsTo(under(event)));
      from.current = null;
    },
    onPointerCancel: () => {
      from.current = null;
    },
    onPointerLeave: () => hover(null),
  };
}

interface OutlinesProps {
  readonly found: FoundHeat;
  readonly impacts: FoundHeat['impacts'];
  readonly width: number;
}

/** Where each impact begins and ends: a second sign beside the colour. */
function Outlines({ found: { rows, window }, impacts, width }: OutlinesProps) {
  const scale = timeScale(window.startNs, window.endNs, width);
  return impacts.map(({ service, start_ns, end_ns }) => {
    const row = rows.indexOf(service);
    const left = Math.max(0, xOf(scale, start_ns));
    const right = Math.min(width, xOf(scale, end_ns));
    return row < 0 ? null : (
      <div
        key={`${service} ${start_ns}`}
        className="fleet-impact"
        style={{ left, width: Math.max(3, right - left), top: row * ROW_PX, height: ROW_PX - 1 }}
      />
    );
  });
}

function Frame({ cells: { rows, columns }, width }: { readonly cells: Cells; readonly width: number }) {
  const step = width / BUCKETS;
  const left = columns[0] * step;
  const size = { width: Math.max(4, (columns[1] + 1) * step - left), height: (rows[1] - rows[0] + 1) * ROW_PX };
  return <div className="fleet-frame" style={{ left, top: rows[0] * ROW_PX, ...size }} />;
}

/** As the table has them. */
const timesText = (times: number): string => formatNumber(Math.round(10 * times) / 10);

interface WordsProps {
  readonly found: FoundHeat;
  /** Its first cell is described; null: none. */
  readonly at: Cells | null;
  readonly worst: number;
}

/** The cell at the cursor in words, and the legend. */
function Words({ found: { rows, values, window }, at, worst }: WordsProps) {
  const { cell, legend } = messages;
  const value = at === null ? Number.NaN : (values[at.rows[0] * BUCKETS + at.columns[0]] ?? Number.NaN);
  const text = Number.isNaN(value) ? cell.notMeasured : value > 1 ? cell.times(timesText(value)) : cell.normal;
  return (
    <p className="heat-map-words">
      <span aria-live="polite" className="ellipsis" data-testid="fleet-cell">
        {at === null ? (
          <span className="muted">{messages.hint}</span>
        ) : (
          <>
            <b>{visibleLine(rows[at.rows[0]] ?? '')}</b>{' '}
            <span className="number">{utcText(timeOfColumns(window, at.columns).startNs)}</span> {text}
          </>
        )}
      </span>
      <span className="spring" />
      <span className="muted">{legend.low}</span>
      <span className="heat-map-scale" aria-hidden="true" />
      <span className="muted">{legend.high(timesText(worst))}</span>
      <span className="fleet-impact-mark" aria-hidden="true" />
      <span className="muted">{legend.impact}</span>
      <span className="heat-map-gap" aria-hidden="true" />
      <span className="muted">{legend.gap}</span>
    </p>
  );
}
