import { type PointerEvent, useMemo, useState } from 'react';
import type { FoundTrace } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import {
  decadesOf,
  durationAt,
  heightAt,
  layoutScatter,
  type Scatter,
  type ScatterPoint,
  traceRootText,
} from '../../draw/traces/found-traces.ts';
import { showDifferences } from '../../state/difference-request.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useIncident } from '../../state/known.ts';
import { openTrace } from '../../state/traces.ts';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';

const HEIGHT = 88;
/** Height of a label of the axis. */
const LABEL = 14;
/** A shorter drag is an accidental movement. */
const SHORTEST_BRUSH_PX = 4;
const REACH_PX = 6;

interface Brush {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly bottom: number;
  /** With Shift, the brush opens Differences; otherwise it zooms. */
  readonly compares: boolean;
}

/** The impact of the selected incident, from its onset on: the same shade as on the timeline. */
function OnsetLine({ scatter, width }: { readonly scatter: Scatter; readonly width: number }) {
  const view = useIncident(useFocus((focus) => focus.incident));
  if (!view) return null;
  const xOf = (time: bigint): number =>
    Math.min(width, Math.max(0, Number(time - scatter.startNs) / scatter.nsPerPixel));
  const [left, right] = [xOf(view.onset_ns), xOf(view.end_ns)];
  return (
    <g className="scatter-impact">
      <title>{messages.scatter.impact}</title>
      <rect x={left} y={0} width={right - left} height={HEIGHT} />
      {left > 0 && left < width ? <line x1={left} x2={left} y1={0} y2={HEIGHT} /> : null}
    </g>
  );
}

/** Beside the points, none of which it covers: the ends of the scale, and the powers of ten that have room between them. */
function DurationAxis({ scatter }: { readonly scatter: Scatter }) {
  const { least_ms, most_ms } = scatter;
  const [top, bottom] = [most_ms, least_ms].map((ms) => heightAt(scatter, ms, HEIGHT)) as [number, number];
  const between = decadesOf(scatter).filter((ms) => {
    const y = heightAt(scatter, ms, HEIGHT);
    return y - top >= LABEL && bottom - y >= LABEL;
  });
  return (
    <div className="scatter-axis muted number" aria-hidden="true">
      {(least_ms === most_ms ? [] : [most_ms, ...between, least_ms]).map((ms) => (
        <span key={ms} style={{ top: heightAt(scatter, ms, HEIGHT) }}>
          {formatDuration(ms * 1e6)}
        </span>
      ))}
    </div>
  );
}

/** Duration over time; the list below shows the same for keyboard and screen reader. */
export function TraceScatter({
  traces,
  searched,
  selected,
}: {
  readonly traces: readonly FoundTrace[];
  /** The time in which traces were looked for. */
  readonly searched: TimeWindow;
  readonly selected: string | null;
}) {
  const { place: rect, width } = useWidth();
  const [brush, setBrush] = useState<Brush | null>(null);
  const scatter = useMemo(
    () => layoutScatter(traces, { start_ns: searched.startNs, end_ns: searched.endNs }, { width, height: HEIGHT }),
    [traces, searched, width],
  );
  const at = (event: PointerEvent): number => event.clientX - (rect.current?.getBoundingClientRect().left ?? 0);
  const heightOf = (event: PointerEvent): number => event.clientY - (rect.current?.getBoundingClientRect().top ?? 0);
  const release = (event: PointerEvent<HTMLDivElement>) => {
    const ended = brush;
    setBrush(null);
    if (!ended || !scatter) return;
    const isWide = Math.abs(ended.to - ended.from) >= SHORTEST_BRUSH_PX;
    if (isWide) return ended.compares ? compareWithin(scatter, ended) : zoomInto(scatter, ended);
    const top = rect.current?.getBoundingClientRect().top ?? 0;
    const hit = nearest(scatter.points, at(event), event.clientY - top);
    if (hit) openTrace(hit.trace);
  };
  const shown = scatter && {
    startNs: nanos(scatter.startNs),
    endNs: nanos(scatter.startNs + BigInt(Math.round(scatter.nsPerPixel * width))),
  };
  return (
    <div className="trace-scatter-place">
      {shown ? <TimeAxis window={shown} width={width} /> : null}
      <div
        className="trace-scatter"
        ref={rect}
        style={{ height: HEIGHT }}
        title={messages.scatter.title}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const [x, y] = [at(event), heightOf(event)];
          setBrush({ from: x, to: x, top: y, bottom: y, compares: event.shiftKey });
        }}
        onPointerMove={(event) => brush && setBrush({ ...brush, to: at(event), bottom: heightOf(event) })}
        onPointerUp={release}
      >
        {scatter ? (
          <svg width={width} height={HEIGHT} role="img" aria-label={messages.scatter.label}>
            <OnsetLine scatter={scatter} width={width} />
            {decadesOf(scatter).map((ms) => (
              <line
                key={ms}
                className="scatter-grid"
                x1={0}
                x2={width}
                y1={heightAt(scatter, ms, HEIGHT)}
                y2={heightAt(scatter, ms, HEIGHT)}
              />
            ))}
            {scatter.points.map(({ trace, x, y }) => (
              <Mark key={trace.trace_id} {...{ trace, x, y }} isSelected={trace.trace_id === selected} />
            ))}
            {brush ? (
              <rect
                className="scatter-brush"
                x={Math.min(brush.from, brush.to)}
                y={brush.compares ? Math.min(brush.top, brush.bottom) : 0}
                width={Math.abs(brush.to - brush.from)}
                height={brush.compares ? Math.abs(brush.bottom - brush.top) : HEIGHT}
              />
            ) : null}
          </svg>
        ) : null}
      </div>
      {scatter ? <DurationAxis scatter={scatter} /> : null}
    </div>
  );
}

function zoomInto({ startNs, nsPerPixel }: Scatter, { from, to }: Brush): void {
  const time = (x: number) => nanos(startNs + BigInt(Math.round(x * nsPerPixel)));
  setWindow({ startNs: time(Math.min(from, to)), endNs: time(Math.max(from, to)) });
}

/** Compares the spans in the brush with faster and slower ones of the same time. */
function compareWithin(scatter: Scatter, { from, to, top, bottom }: Brush): void {
  const time = (x: number) => scatter.startNs + BigInt(Math.round(x * scatter.nsPerPixel));
  const [slowest, fastest] = [Math.min(top, bottom), Math.max(top, bottom)].map((y) => durationAt(scatter, y, HEIGHT));
  showDifferences({
    start_ns: time(Math.min(from, to)),
    end_ns: time(Math.max(from, to)) + 1n,
    entities: [],
    duration_ms: { from: fastest ?? null, below: slowest === fastest ? null : (slowest ?? null) },
    span_name: null,
  });
}

function nearest(points: readonly ScatterPoint[], x: number, y: number): ScatterPoint | undefined {
  const distance = (point: ScatterPoint): number => Math.hypot(point.x - x, point.y - y);
  return points.filter((point) => distance(point) <= REACH_PX).sort((a, b) => distance(a) - distance(b))[0];
}

/** Failed traces are triangles, others discs. */
function Mark({ trace, x, y, isSelected }: ScatterPoint & { readonly isSelected: boolean }) {
  const className = `${trace.errors > 0 ? 'scatter-error' : 'scatter-ok'}${isSelected ? ' scatter-selected' : ''}`;
  return (
    <g className={className}>
      {trace.errors > 0 ? <path d={`M${x} ${y - 4}L${x + 4} ${y + 3}H${x - 4}Z`} /> : <circle cx={x} cy={y} r={2.5} />}
      {isSelected ? <circle className="scatter-ring" cx={x} cy={y} r={7} /> : null}
      <title>{`${traceRootText(trace)}, ${formatDuration(trace.duration_ms * 1e6)}`}</title>
    </g>
  );
}
