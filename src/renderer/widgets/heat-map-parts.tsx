import { useMemo } from 'react';
import { nanos } from '../../model/time.ts';
import { timeScale, xOf } from '../draw/canvas/time-scale.ts';
import { formatTime } from '../draw/text/format-time.ts';
import { useFocus } from '../state/focus.ts';
import type { TimeWindow } from '../state/focus-history.ts';
import { useIncidents } from '../state/known.ts';
import { spanOf } from '../state/time-window.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { messages } from './messages.ts';
import { bucketsOf, type HeatRows } from './walk-rows.ts';

export interface RowRun {
  readonly first: number;
  readonly rows: number;
}

interface MarksProps {
  readonly window: TimeWindow;
  readonly width: number;
  /** Selected rows. */
  readonly rows: readonly RowRun[];
  readonly rowPx: number;
}

/** Marks over the cells: incidents, the playhead, the selected rows. */
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

/** What happened in a row at one time. */
export interface HeatMark {
  readonly row: number;
  readonly time: bigint;
  readonly text: string;
}

interface RowMarksProps extends Pick<MarksProps, 'window' | 'width' | 'rowPx'> {
  readonly marks: readonly HeatMark[];
  readonly order: readonly number[];
}

/** A sign in the row at the time of each mark; its text appears at the pointer, and is in the tables of the view. */
export function RowMarks({ marks, order, window, width, rowPx }: RowMarksProps) {
  const places = useMemo(() => new Map(order.map((row, place) => [row, place])), [order]);
  const scale = timeScale(window.startNs, window.endNs, width);
  return marks.map(({ row, time, text }) => {
    const place = places.get(row);
    const left = xOf(scale, nanos(time));
    return place === undefined || left < 0 || left > width ? null : (
      <div
        key={`${row} ${time} ${text}`}
        className="heat-map-mark"
        title={text}
        aria-hidden="true"
        style={{ left, top: (place + 0.5) * rowPx }}
      />
    );
  });
}

/** Texts of a heat map. */
export interface HeatTexts {
  /** What a row is about: its name, and more. */
  readonly nameOf: (row: number) => string;
  readonly aboutOf: (row: number) => string;
  /** Of a recorded value. */
  readonly cellText: (row: number, bucket: number) => string;
  /** Ends of the colour scale. */
  readonly ends: readonly [string, string];
  /** Name of infinite values in the legend; absent: there are none. */
  readonly stoodText?: string | undefined;
}

interface CellTextProps extends HeatTexts {
  readonly rows: HeatRows;
  /** The row whose cell is described; null: none. */
  readonly at: number | null;
}

/** Text of the cell at the cursor, and the legend. */
export function CellText({ rows, at: row, nameOf, aboutOf, cellText, ends, stoodText }: CellTextProps) {
  const at = useFocus(({ cursor, playhead }) => cursor ?? playhead);
  const format = useTimeFormat();
  const [isEmpty, isScaled] = useMemo(
    () => [rows.values.every(Number.isNaN), rows.values.some(Number.isFinite)],
    [rows.values],
  );
  return (
    <p className="heat-map-words">
      <span aria-live="polite" className="ellipsis">
        {row === null ? (
          <span className="muted">{messages.heatMap.hint}</span>
        ) : (
          <>
            <b>{nameOf(row)}</b>{' '}
            {at === null ? '' : `${formatTime(nanos(at), format)} ${textAt(rows, { row, at, cellText })}`}{' '}
            <span className="muted">{aboutOf(row)}</span>
          </>
        )}
      </span>
      <span className="spring" />
      {isEmpty ? <span>{messages.heatMap.noData}</span> : null}
      {isScaled ? (
        <>
          <span className="muted">{ends[0]}</span>
          <span className="heat-map-scale" aria-hidden="true" />
          <span className="muted">{ends[1]}</span>
        </>
      ) : null}
      {stoodText === undefined ? null : (
        <>
          <span className="heat-map-stood" aria-hidden="true" />
          <span className="muted">{stoodText}</span>
        </>
      )}
      <span className="heat-map-gap" aria-hidden="true" />
      <span className="muted">{messages.heatMap.notRecorded}</span>
    </p>
  );
}

interface Cell extends Pick<HeatTexts, 'cellText'> {
  readonly row: number;
  readonly at: bigint;
}

function textAt(rows: HeatRows, { row, at, cellText }: Cell): string {
  const buckets = bucketsOf(rows);
  const bucket = Math.floor((Number(at - rows.window.startNs) / spanOf(rows.window)) * buckets);
  const value = bucket < 0 || bucket >= buckets ? undefined : rows.values[row * buckets + bucket];
  if (value === undefined) return messages.heatMap.outside;
  return Number.isNaN(value) ? messages.heatMap.notRecorded : cellText(row, bucket);
}
