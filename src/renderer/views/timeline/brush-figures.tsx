import { useMemo } from 'react';
import type { LaneStatistics } from '../../../model/contract/index.ts';
import { figuresSheet } from '../../draw/tables/figures-sheet.ts';
import { laneEntity } from '../../draw/tables/row-tree.ts';
import { datedWithin, formatDuration, formatTime, type TimeFormat } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber, formatValue } from '../../draw/text/format-value.ts';
import { laneWhat } from '../../draw/timeline/lane-text.ts';
import type { LaneRow, Layout } from '../../draw/timeline/row-layout.ts';
import { can } from '../../state/abilities.ts';
import { client } from '../../state/client.ts';
import { showDifferences } from '../../state/difference-request.ts';
import { exportForPerfetto } from '../../state/export-window.ts';
import { setBrush, setWindow, useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { clockOf } from '../../state/source-clocks.ts';
import { spanOf } from '../../state/time-window.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { SheetMenu } from '../../widgets/table-sheet.tsx';
import { useSourceClocks } from './lane-clocks.ts';
import { messages } from './messages.ts';

const MOST_LANES = 500;

/** Statistics of the visible lanes over the brushed window. */
export function BrushFigures({ layout }: { readonly layout: Layout }) {
  const brush = useFocus((focus) => focus.brush);
  return brush && brush.startNs < brush.endNs ? <Figures brush={brush} layout={layout} /> : null;
}

function Figures({ brush, layout }: { readonly brush: TimeWindow; readonly layout: Layout }) {
  const length = useFocus((focus) => spanOf(focus.window));
  const format = datedWithin(length, useTimeFormat());
  const rows = useMemo(
    () => layout.rows.filter((row): row is LaneRow => row.kind === 'lane').slice(0, MOST_LANES),
    [layout],
  );
  const clocks = useSourceClocks();
  const lanes = rows.map(({ lane }) => [lane.id, clockOf(lane, clocks)?.shiftNs ?? 0n]);
  const { value, problem, slow, retry } = useAnswer(['timeline.statistics', brush, lanes], (signal) =>
    measure(brush, shiftsOf(rows, clocks), signal),
  );
  const byLane = new Map((value ?? []).map((one) => [one.lane, one]));
  return (
    <section className="brush-figures" aria-label={messages.brush.title} aria-busy={slow}>
      <header>
        <h2>{spanText(brush, format)}</h2>
        <span className="spring" />
        <SheetMenu
          label={messages.brush.title}
          hasRows={value !== undefined && rows.length > 0}
          sheet={() =>
            figuresSheet(
              rows.map(({ lane }) => lane),
              byLane,
            )
          }
        />
        <button type="button" title="U" onClick={() => showDifferences()}>
          {messages.brush.differences}
        </button>
        {can('exports') ? (
          <button type="button" title={messages.brush.perfettoTitle} onClick={() => void exportForPerfetto()}>
            {messages.brush.perfetto}
          </button>
        ) : null}
        <button type="button" onClick={() => setWindow(brush)}>
          {messages.brush.zoom}
        </button>
        <button type="button" className="plain" title="Esc" onClick={() => setBrush(null)}>
          {messages.brush.close}
        </button>
      </header>
      {problem ? <ProblemNote problem={problem} what={messages.brush.what} onRetry={retry} /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className="brush-scroll" aria-label={messages.brush.byLane} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.brush.lane}</th>
              {messages.brush.columns.map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <FigureRow key={row.lane.id} row={row} figures={byLane.get(row.lane.id)} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

type Clocks = ReturnType<typeof useSourceClocks>;

/** Lanes by their clock shift, as drawn. */
const shiftsOf = (rows: readonly LaneRow[], clocks: Clocks): ReadonlyMap<bigint, readonly LaneRow[]> =>
  Map.groupBy(rows, ({ lane }) => clockOf(lane, clocks)?.shiftNs ?? 0n);

/** Measures the rows under the brush as drawn, with clock shifts. */
async function measure(
  { startNs, endNs }: TimeWindow,
  shifts: ReadonlyMap<bigint, readonly LaneRow[]>,
  signal: AbortSignal,
): Promise<readonly LaneStatistics[]> {
  const answers = [...shifts].map(([shift, rows]) => {
    const lanes = rows.map(({ lane }) => lane.id);
    return client().call('timeline.statistics', { start_ns: startNs - shift, end_ns: endNs - shift, lanes }, signal);
  });
  return (await Promise.all(answers)).flat();
}

const spanText = ({ startNs, endNs }: TimeWindow, format: TimeFormat): string =>
  `${formatTime(startNs, format)} - ${formatTime(endNs, format)} (${formatDuration(spanOf({ startNs, endNs }))})`;

function FigureRow({ row, figures }: { readonly row: LaneRow; readonly figures: LaneStatistics | undefined }) {
  const { lane } = row;
  const figure = (number: number | null | undefined): string =>
    number === null || number === undefined ? '' : formatValue(number, lane.unit);
  return (
    <tr>
      <th scope="row">
        {laneEntity(lane)} <span className="muted">{laneWhat(lane)}</span>
      </th>
      <td className="number">{figures ? formatCount(figures.count) : '…'}</td>
      <td className="number">{figures?.per_second ? formatNumber(figures.per_second) : ''}</td>
      <td className="number">{figure(figures?.min)}</td>
      <td className="number">{figure(figures?.mean)}</td>
      <td className="number">{figure(figures?.p95)}</td>
      <td className="number">{figure(figures?.max)}</td>
    </tr>
  );
}
