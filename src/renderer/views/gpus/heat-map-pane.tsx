import { type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { PixelLayer, pixelColor } from '../../draw/canvas/pixel-layer.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { readPalette } from '../../draw/canvas/tokens.ts';
import { metricTitle } from '../../draw/text/gpu-text.ts';
import { drawHeatMap, heatRange, heatShades } from '../../draw/timeline/heat-map.ts';
import { entityTarget } from '../../state/actions.ts';
import { setCursor, setPlayhead } from '../../state/focus.ts';
import { useTheme } from '../../state/preferences.ts';
import { openAt } from '../../widgets/action-menu.tsx';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import { useWidth } from '../../widgets/use-width.ts';
import { CellText, Machines, Marks, type RowRun } from './heat-map-text.tsx';
import { messages } from './messages.ts';
import { type FleetMap, takeRows, walkCells } from './walk-cells.ts';

/** Large enough for the mouse, small enough for a rack of machines. */
const HIGHEST_PX = 14;
const LOWEST_PX = 2;
const ROOM_PX = 280;

/** Heat map of GPUs over the window; arrow keys move through it, a click selects a GPU and a time. */
export function HeatMapPane(map: FleetMap) {
  const { fleet, window, order, selected, taken, onSelect } = map;
  const { place, width } = useWidth();
  const rowPx = Math.max(LOWEST_PX, Math.min(HIGHEST_PX, Math.floor(ROOM_PX / Math.max(1, order.length))));
  const height = order.length * rowPx;
  const range = useMemo(() => heatRange(fleet.values), [fleet]);
  const [hovered, hover] = useState<number | null>(null);
  const under = ({
    clientX,
    clientY,
    currentTarget,
  }: MouseEvent): { row: number; gpu: number | undefined; time: Nanos } => {
    const rect = currentTarget.getBoundingClientRect();
    const part = (clientX - rect.left) / Math.max(1, rect.width);
    const time = nanos(window.startNs + BigInt(Math.round(part * Number(window.endNs - window.startNs))));
    const row = Math.min(Math.max(Math.floor((clientY - rect.top) / rowPx), 0), order.length - 1);
    return { row, gpu: order[row], time };
  };
  const brushing = useTimeBrush((event) => under(event).time);
  const firstRow = useRef(0);
  return (
    <div className="heat-map-pane">
      <div className="heat-map-scroll">
        <div className="heat-map-axis">
          <TimeAxis window={window} width={width} />
        </div>
        <div className="heat-map" style={{ height }}>
          <Machines fleet={fleet} order={order} rowPx={rowPx} />
          <div
            ref={place}
            className="heat-map-cells"
            role="application"
            aria-roledescription={messages.heatMap.role}
            aria-label={messages.heatMap.label(metricTitle(fleet.metric ?? ''), order.length)}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys move through the cells
            tabIndex={0}
            data-testid="heat-map"
            onKeyDown={(event) => walkCells(event, map)}
            onContextMenu={(event) => {
              const entityKey = fleet.gpus[under(event).gpu ?? -1]?.entity;
              if (entityKey !== undefined) openAt(event, () => entityTarget(entityKey));
            }}
            onPointerDown={(event) => {
              firstRow.current = under(event).row;
              brushing.onPointerDown(event);
            }}
            onPointerUp={(event) => {
              // A brush within a row selects a time range, as on every chart; across rows it selects their GPUs too.
              const { row } = under(event);
              if (brushing.brush(event) && row !== firstRow.current) takeRows(map, firstRow.current, row);
              brushing.onPointerUp();
            }}
            onPointerMove={(event) => {
              const { gpu, time } = under(event);
              hover(gpu ?? null);
              if (!brushing.brush(event)) setCursor(time);
            }}
            onPointerLeave={() => {
              hover(null);
              setCursor(null);
            }}
            onClick={(event) => {
              if (brushing.ends()) return;
              const { gpu, time } = under(event);
              if (gpu !== undefined) onSelect(gpu);
              setPlayhead(time);
            }}
          >
            <Cells {...{ fleet, order, rowPx, width, height, range }} />
            <Marks window={window} width={width} rows={takenRows(order, taken)} rowPx={rowPx} />
          </div>
        </div>
      </div>
      <CellText fleet={fleet} window={window} gpu={hovered ?? (selected < 0 ? null : selected)} range={range} />
    </div>
  );
}

/** Runs of adjacent selected rows. */
function takenRows(order: readonly number[], taken: ReadonlySet<number>): readonly RowRun[] {
  const runs: { first: number; rows: number }[] = [];
  for (const [row, gpu] of order.entries()) {
    if (!taken.has(gpu)) continue;
    const last = runs.at(-1);
    if (last && last.first + last.rows === row) last.rows++;
    else runs.push({ first: row, rows: 1 });
  }
  return runs;
}

interface CellsProps {
  readonly fleet: Fleet;
  readonly order: readonly number[];
  readonly rowPx: number;
  readonly width: number;
  readonly height: number;
  readonly range: readonly [number, number];
}

function Cells({ fleet, order, rowPx, width, height, range }: CellsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has a new palette
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || !canvas.current) return;
    const palette = readPalette(document.documentElement);
    sizeCanvas(canvas.current, width, height, devicePixelRatio);
    const layer = new PixelLayer();
    layer.reset(width, height, devicePixelRatio);
    const buckets = fleet.values.length / Math.max(1, fleet.gpus.length);
    const map = { values: fleet.values, buckets, order, rowPx, range };
    drawHeatMap(layer, map, heatShades(palette.heat), pixelColor(palette.gap));
    pen.clearRect(0, 0, width, height);
    layer.paintOnto(pen);
  }, [fleet, order, width, height, rowPx, range, theme]);
  return <canvas ref={canvas} />;
}
