import type { Fleet } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { formatTime } from '../../draw/text/format-time.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { entityName, machineOf, shortGpu } from '../../draw/text/gpu-text.ts';
import { useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useIncidents } from '../../state/known.ts';
import { spanOf } from '../../state/time-window.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { messages } from './messages.ts';

interface MachinesProps {
  readonly fleet: Fleet;
  readonly order: readonly number[];
  readonly rowPx: number;
}

const LEAST_LABEL_PX = 16;

/** Machine names next to their rows, if the rows are adjacent and tall enough. */
export function Machines({ fleet, order, rowPx }: MachinesProps) {
  const groups: { name: string; first: number; rows: number }[] = [];
  for (const [place, at] of order.entries()) {
    const gpu = fleet.gpus[at];
    const name = gpu ? machineOf(gpu) || gpu.id : '';
    const last = groups.at(-1);
    if (last?.name === name) last.rows++;
    else groups.push({ name, first: place, rows: 1 });
  }
  let free = 0;
  return (
    <div className="heat-map-machines" aria-hidden="true">
      {groups.map(({ name, first, rows }) => {
        const top = first * rowPx;
        if (top < free) return null;
        free = top + LEAST_LABEL_PX;
        return (
          <span
            key={first}
            className="ellipsis"
            title={name}
            style={{ top, height: Math.max(LEAST_LABEL_PX, rows * rowPx) }}
          >
            {name}
          </span>
        );
      })}
    </div>
  );
}

export interface RowRun {
  readonly first: number;
  readonly rows: number;
}

interface MarksProps {
  readonly window: TimeWindow;
  readonly width: number;
  /** Rows of the selected GPUs. */
  readonly rows: readonly RowRun[];
  readonly rowPx: number;
}

/** Marks over the cells: incidents, the playhead, the selected GPUs. */
export function Marks({ window, width, rows, rowPx }: MarksProps) {
  const incidents = useIncidents();
  const at = useFocus(({ cursor, playhead }) => cursor ?? playhead);
  const scale = timeScale(window.startNs, window.endNs, width);
  const inside = (x: number): number => Math.min(Math.max(x, 0), width);
  const x = at === null ? null : xOf(scale, at);
  const brush = useFocus((focus) => focus.brush);
  const [from, until] = brush ? [inside(xOf(scale, brush.startNs)), inside(xOf(scale, brush.endNs))] : [0, 0];
  return (
    <>
      {(incidents ?? []).map(({ incident, onset_ns, end_ns }) => {
        const [left, right] = [inside(xOf(scale, onset_ns)), inside(xOf(scale, end_ns))];
        return right > left ? (
          <div key={incident.id} className="heat-map-impact" style={{ left, width: right - left }} />
        ) : null;
      })}
      {until > from ? <div className="time-brush" style={{ left: from, width: until - from }} /> : null}
      {rows.map(({ first, rows: many }) => (
        <div key={first} className="heat-map-row" style={{ top: first * rowPx, height: many * rowPx }} />
      ))}
      {x !== null && x >= 0 && x <= width ? <div className="time-line" style={{ left: x }} /> : null}
    </>
  );
}

interface CellTextProps {
  readonly fleet: Fleet;
  readonly window: TimeWindow;
  readonly gpu: number | null;
  readonly range: readonly [number, number];
}

/** Text of the cell at the cursor, and the legend. */
export function CellText({ fleet, window, gpu, range }: CellTextProps) {
  const at = useFocus(({ cursor, playhead }) => cursor ?? playhead);
  const format = useTimeFormat();
  const unit = fleet.metrics.find(({ metric }) => metric === fleet.metric)?.unit ?? '';
  const one = gpu === null ? undefined : fleet.gpus[gpu];
  return (
    <p className="heat-map-words">
      <span aria-live="polite">
        {one && gpu !== null ? (
          <>
            <b>
              {machineOf(one)} {shortGpu(one)}
            </b>{' '}
            {at === null ? '' : `${formatTime(nanos(at), format)} ${cellText(fleet, { window, gpu, at, unit })}`}{' '}
            <span className="muted">
              {one.work.length === 0 ? messages.noWork : one.work.map(entityName).join(', ')}
            </span>
          </>
        ) : (
          <span className="muted">{messages.heatMap.hint}</span>
        )}
      </span>
      <span className="spring" />
      {fleet.values.every(Number.isNaN) ? (
        <span>{messages.heatMap.noData}</span>
      ) : (
        <>
          <span className="muted">{formatValue(range[0], unit)}</span>
          <span className="heat-map-scale" aria-hidden="true" />
          <span className="muted">{formatValue(range[1], unit)}</span>
        </>
      )}
      <span className="heat-map-gap" aria-hidden="true" />
      <span className="muted">{messages.heatMap.notRecorded}</span>
    </p>
  );
}

interface Cell {
  readonly window: TimeWindow;
  readonly gpu: number;
  readonly at: bigint;
  readonly unit: string;
}

function cellText({ values, gpus }: Fleet, { window, gpu, at, unit }: Cell): string {
  const buckets = values.length / Math.max(1, gpus.length);
  const bucket = Math.floor((Number(at - window.startNs) / spanOf(window)) * buckets);
  const value = bucket < 0 || bucket >= buckets ? undefined : values[gpu * buckets + bucket];
  if (value === undefined) return messages.heatMap.outside;
  return Number.isNaN(value) ? messages.heatMap.notRecorded : formatValue(value, unit);
}
