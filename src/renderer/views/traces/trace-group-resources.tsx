import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { ResourceLane, TraceGroup } from '../../../model/contract/index.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { readPalette } from '../../draw/canvas/tokens.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatNumber, formatValue, readableType } from '../../draw/text/format-value.ts';
import { entityName, metricTitle } from '../../draw/text/gpu-text.ts';
import { figuresOf, LANE_HEIGHT, paintResources } from '../../draw/traces/resource-lanes.ts';
import type { TraceGroupScale } from '../../draw/traces/trace-group-scale.ts';
import { selectEntity } from '../../state/focus.ts';
import { useTheme } from '../../state/preferences.ts';
import { useCall } from '../../state/use-answer.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';
import type { WaterfallStage } from './waterfall-stage.ts';

interface TraceGroupResourcesProps {
  readonly traceGroup: TraceGroup;
  readonly extent: { readonly from_ns: number; readonly until_ns: number };
  /** Its axis is that of the lanes; null: there is none yet. */
  readonly stage: WaterfallStage | null;
  readonly columns: string;
}

/** What was measured below a trace: its services, their GPUs and machines, on the axis of its spans. */
export function TraceGroupResources({ traceGroup, extent, stage, columns }: TraceGroupResourcesProps) {
  const { origin_ns, traces } = traceGroup;
  const at = (ns: number): bigint => (origin_ns ?? 0n) + BigInt(Math.round(ns));
  const traceId = traces[0]?.trace_id;
  const window = { start_ns: at(extent.from_ns), end_ns: at(extent.until_ns) };
  const { value, problem, retry } = useCall(
    'trace.resources',
    traceId === undefined || origin_ns === null ? null : { trace_id: traceId, ...window },
  );
  if (problem) return <ProblemNote problem={problem} what={messages.resources.what} onRetry={retry} />;
  if (!value) return null;
  const { lanes, total, named } = value;
  const length_ns = Math.max(extent.until_ns - extent.from_ns, 1);
  return (
    <section className="trace-resources" aria-label={messages.resources.label} data-testid="trace-resources">
      <p className="muted">
        {lanes.length === 0 ? messages.resources.none : messages.resources.about(named)}
        {total > lanes.length ? ` ${messages.resources.left(total - lanes.length)}` : ''}
      </p>
      {lanes.length === 0 ? null : (
        <div className={SCROLLER}>
          <div className="trace-resource-rows" style={{ gridTemplateColumns: columns }}>
            <ul>
              {lanes.map((lane) => (
                <LaneName key={keyOf(lane)} lane={lane} length_ns={length_ns} />
              ))}
            </ul>
            <LaneCanvas lanes={lanes} stage={stage} from_ns={extent.from_ns} />
          </div>
        </div>
      )}
    </section>
  );
}

const SCROLLER = 'trace-resource-scroll';
const keyOf = ({ entity, metric, replica, from }: ResourceLane): string => `${entity} ${metric} ${replica} ${from}`;

/** UUIDs of GPUs differ at their end. */
const shortName = (name: string): string => (name.length > LONG ? `${name.slice(0, 4)}…${name.slice(-8)}` : name);
const LONG = 24;

/** `request waiting`, `utilization`. */
const shortText = (metric: string): string => readableType(metricTitle(metric));

function LaneName({ lane, length_ns }: { readonly lane: ResourceLane; readonly length_ns: number }) {
  const { entity, metric, unit, replica, from } = lane;
  const { at, age_ns, low, high, samples } = useMemo(() => figuresOf(lane, length_ns), [lane, length_ns]);
  const title = [
    `${entityName(entity)}${replica === '' ? '' : ` (${replica})`}: ${metric}`,
    from === 'spans' ? messages.resources.fromSpans : messages.resources.samples(samples),
    at === null || age_ns === null
      ? messages.resources.noValue
      : messages.resources.before(formatValue(at, unit), formatDuration(age_ns)),
    ...(low === null || high === null || low === high
      ? []
      : [messages.resources.between(formatNumber(low), formatValue(high, unit))]),
  ].join('\n');
  return (
    <li style={{ height: LANE_HEIGHT }} title={title}>
      <button type="button" className="link ellipsis" onClick={() => selectEntity(entity)}>
        {shortName(replica === '' ? entityName(entity) : replica)}
      </button>
      <span className="muted ellipsis">{shortText(metric)}</span>
      <span className="number">{at === null ? '–' : formatValue(at, unit)}</span>
    </li>
  );
}

interface LaneCanvasProps {
  readonly lanes: readonly ResourceLane[];
  readonly stage: WaterfallStage | null;
  readonly from_ns: number;
}

/** As tall as what is in sight, so that a frame does not paint lanes that are scrolled away. */
function LaneCanvas({ lanes, stage, from_ns }: LaneCanvasProps) {
  const canvas: RefObject<HTMLCanvasElement | null> = useRef(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has a new palette
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    const scroller = canvas.current?.closest<HTMLElement>(`.${SCROLLER}`);
    if (!pen || !scroller || !stage) return undefined;
    const palette = readPalette(document.documentElement);
    const paint = (scale: TraceGroupScale) => {
      if (!canvas.current) return;
      const { scrollTop, clientHeight } = scroller;
      const height = Math.min(clientHeight, lanes.length * LANE_HEIGHT);
      const first = Math.floor(scrollTop / LANE_HEIGHT);
      const shown = lanes.slice(first, Math.ceil((scrollTop + height) / LANE_HEIGHT));
      sizeCanvas(canvas.current, scale.width, height, devicePixelRatio);
      paintResources(pen, { lanes: shown, top: first * LANE_HEIGHT - scrollTop, height, scale, from_ns, palette });
    };
    const again = () => stage.scale && paint(stage.scale);
    const observer = new ResizeObserver(again);
    observer.observe(scroller);
    scroller.addEventListener('scroll', again, { passive: true });
    const leave = stage.followScale(paint);
    return () => {
      leave();
      observer.disconnect();
      scroller.removeEventListener('scroll', again);
    };
  }, [lanes, stage, from_ns, theme]);
  return <canvas ref={canvas} role="img" aria-label={messages.resources.canvas} />;
}
