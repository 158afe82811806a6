import { useEffect, useMemo, useRef } from 'react';
import type { Lane } from '../../model/contract/index.ts';
import type { Nanos } from '../../model/time.ts';
import { axisTicks } from '../draw/canvas/axis.ts';
import { pixelColors } from '../draw/canvas/pixel-colors.ts';
import { PixelLayer } from '../draw/canvas/pixel-layer.ts';
import { sizeCanvas } from '../draw/canvas/size-canvas.ts';
import { timeAt, timeScale, xOf } from '../draw/canvas/time-scale.ts';
import { readPalette } from '../draw/canvas/tokens.ts';
import { laneEntity } from '../draw/tables/row-tree.ts';
import { depthsOf } from '../draw/timeline/bands.ts';
import { Stacks } from '../draw/timeline/event-marks.ts';
import { eventUnder } from '../draw/timeline/event-under.ts';
import { makeGlyphSprites } from '../draw/timeline/glyph-sprites.ts';
import { laneWhat } from '../draw/timeline/lane-text.ts';
import { measureMetric } from '../draw/timeline/metric-line.ts';
import { paintLanes } from '../draw/timeline/paint-lanes.ts';
import { valueText } from '../draw/timeline/paint-values.ts';
import { type LaneRow, ROW_MIDDLE } from '../draw/timeline/row-layout.ts';
import type { LaneEntry, Scene } from '../draw/timeline/scene.ts';
import { showDetails } from '../state/case-state.ts';
import { client } from '../state/client.ts';
import { select, setCursor, setPlayhead, useFocus } from '../state/focus.ts';
import type { TimeWindow } from '../state/focus-history.ts';
import { useIncidents } from '../state/known.ts';
import { useTheme } from '../state/preferences.ts';
import { spanOf } from '../state/time-window.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useSteadyWindow } from '../state/use-settled-window.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { TimeAxis } from './time-axis.tsx';
import { useTimeBrush } from './use-time-brush.ts';
import { useWidth } from './use-width.ts';

export interface LaneChartProps {
  readonly label: string;
  readonly lanes: readonly Lane[];
  /** Name of a lane in this list. */
  readonly nameOf?: (lane: Lane) => string;
}

/** Some lanes of the timeline, drawn as there, over the window on screen. */
export function LaneChart({ label, lanes, nameOf = laneWhat }: LaneChartProps) {
  const { place, width } = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const entries = useEntries(lanes, width);
  const rows = useMemo(() => rowsOf(lanes), [lanes]);
  const scene = useScene(rows, entries, width);
  // The window of the loaded lanes: the window on screen may be ahead of it.
  const shown = useSteadyWindow();
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || !canvas.current) return;
    sizeCanvas(canvas.current, width, scene.height, window.devicePixelRatio);
    paintLanes(pen, scene);
  }, [scene, width]);
  const at = useFocus(({ cursor, playhead }) => cursor ?? playhead);
  const x = at === null ? null : xOf(scene.scale, at);
  const timeUnder = (event: { clientX: number; currentTarget: Element }) =>
    timeAt(scene.scale, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const brushing = useTimeBrush(timeUnder);
  const hoverAt = (event: { clientX: number; clientY: number; currentTarget: Element }): boolean => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - top) / ROW_MIDDLE)];
    const found = row ? eventUnder(scene, row, event.clientX - left) : null;
    if (!found) return false;
    select(found.ref, found.at);
    showDetails();
    return true;
  };
  const brush = useFocus((focus) => focus.brush);
  return (
    <div className="lane-chart">
      <div className="lane-chart-axis">
        <TimeAxis window={shown} width={width} />
      </div>
      <ul aria-label={label}>
        {rows.map((row) => (
          <li key={row.lane.id} style={{ height: row.height }} title={`${laneEntity(row.lane)} ${row.lane.metric}`}>
            <span className="ellipsis">{nameOf(row.lane)}</span>
            <span className="number muted">{textAt(scene, row, at)}</span>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the values next to it show the same at the playhead */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys move the playhead everywhere */}
      <div
        ref={place}
        className="lane-chart-canvas"
        onPointerDown={brushing.onPointerDown}
        onPointerUp={brushing.onPointerUp}
        onPointerMove={(event) => brushing.brush(event) || setCursor(timeUnder(event))}
        onPointerLeave={() => setCursor(null)}
        onClick={(event) => brushing.ends() || hoverAt(event) || setPlayhead(timeUnder(event))}
      >
        <canvas ref={canvas} />
        {brush ? (
          <div
            className="time-brush"
            style={{
              left: xOf(scene.scale, brush.startNs),
              width: xOf(scene.scale, brush.endNs) - xOf(scene.scale, brush.startNs),
            }}
          />
        ) : null}
        {x !== null && x >= 0 && x <= width ? <div className="time-line" style={{ left: x }} /> : null}
      </div>
    </div>
  );
}

/** Text of a lane at the cursor or the playhead: a value, a state, a nearby event. */
function textAt(scene: Scene, row: LaneRow, at: Nanos | null): string {
  if (at === null) return '';
  const event = eventUnder(scene, row, xOf(scene.scale, at));
  return event ? event.words : valueText(row, scene.entry(row.lane.id), at);
}

function rowsOf(lanes: readonly Lane[]): readonly LaneRow[] {
  return lanes.map((lane, at) => ({
    kind: 'lane',
    layer: lane.layer,
    lane,
    depth: 0,
    named: false,
    y: at * ROW_MIDDLE,
    height: ROW_MIDDLE,
  }));
}

const noEntries: ReadonlyMap<string, LaneEntry> = new Map();

/** Data of the lanes in the window; the previous data stays until the next response. */
function useEntries(lanes: readonly Lane[], width: number): ReadonlyMap<string, LaneEntry> {
  const window = useSteadyWindow();
  const ids = lanes.map(({ id }) => id);
  const buckets = Math.min(4096, Math.max(64, Math.round(width)));
  const { value } = useAnswer(['timeline.data', window, buckets, ids], (signal) =>
    readEntries(ids, window, buckets, signal),
  );
  return value ?? noEntries;
}

async function readEntries(
  lanes: string[],
  window: TimeWindow,
  buckets: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LaneEntry>> {
  if (lanes.length === 0) return noEntries;
  const { startNs, endNs } = window;
  const requested = { start_ns: startNs, end_ns: endNs, buckets, lanes };
  const answers = await client().call('timeline.data', requested, signal);
  const entryOf = (data: (typeof answers)[number]): LaneEntry => ({
    data,
    startNs,
    endNs,
    bucketNs: spanOf(window) / buckets,
    shape: data.kind === 'metric' ? measureMetric(data) : null,
    depths: data.kind === 'bands' ? depthsOf(data) : 0,
  });
  return new Map(answers.map((data) => [data.lane, entryOf(data)]));
}

const noMarks: Scene['marks'] = [];
const noEntities: readonly string[] = [];

function useScene(rows: readonly LaneRow[], entries: ReadonlyMap<string, LaneEntry>, width: number): Scene {
  const { startNs, endNs } = useSteadyWindow();
  const incidents = useIncidents();
  const incident = useFocus((focus) => focus.incident);
  const format = useTimeFormat();
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has a new palette
  const style = useMemo(() => {
    const palette = readPalette(document.documentElement);
    const sprites = makeGlyphSprites(palette, window.devicePixelRatio);
    return { palette, colors: pixelColors(palette), sprites, stacks: new Stacks(), layer: new PixelLayer() };
  }, [theme]);
  return useMemo(() => {
    const height = rows.reduce((sum, row) => sum + row.height, 0);
    const scale = timeScale(startNs, endNs, width, window.devicePixelRatio);
    const impacts = (incidents ?? []).map((view) => ({
      onsetEarliestNs: view.onset_earliest_ns,
      onsetNs: view.onset_ns,
      endNs: view.end_ns,
      selected: view.incident.id === incident,
    }));
    return {
      ...style,
      layout: { rows, tops: Float64Array.from(rows, ({ y }) => y), height, chain: new Map() },
      first: 0,
      end: rows.length,
      scrollTop: 0,
      height,
      scale,
      ticks: axisTicks(scale, format),
      impacts,
      marks: noMarks,
      selectedMark: 0,
      entities: noEntities,
      entry: (lane) => entries.get(lane),
      range: () => undefined,
      silences: () => [],
    };
  }, [rows, entries, width, startNs, endNs, incidents, incident, format, style]);
}
