import type { LifeView } from '../../../model/contract/index.ts';
import { type LifeStage, lifeStages } from '../../../model/incident/lifecycle.ts';
import { nanos } from '../../../model/time.ts';
import { axisTicks } from '../../draw/canvas/axis.ts';
import { timeAt, timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { lengthOf, waitText } from '../../draw/text/life-text.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, setPlayhead, useFocus } from '../../state/focus.ts';
import { makeWindow, padWindow } from '../../state/time-window.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';
import { TimeTicks } from './time-ticks.tsx';

const ROW = 28;
const BAR = 16;
const AXIS = 20;
const LABELS = 96;
/** Minimum width of a bar. */
const LEAST_PX = 4;

/** The stages of one repair over time; the gap between two steps is a wait, labelled with its length. */
export function LifeChart({ life }: { readonly life: LifeView }) {
  const { place, width } = useWidth();
  const format = useTimeFormat();
  const playhead = useFocus((focus) => focus.playhead);
  const inner = Math.max(1, width - LABELS - 8);
  const window = padWindow(makeWindow(nanos(life.start_ns), Math.max(lengthOf(life), 1e6)), 0.02);
  const scale = timeScale(window.startNs, window.endNs, inner);
  const x = (time: bigint): number => xOf(scale, time);
  const rowOf = (stage: LifeStage): number => lifeStages.indexOf(stage) * ROW;
  const height = lifeStages.length * ROW;
  const at = playhead === null ? null : x(playhead);
  const brush = useFocus((focus) => focus.brush);
  const brushing = useTimeBrush(({ clientX, currentTarget }) =>
    timeAt(scale, clientX - currentTarget.getBoundingClientRect().left - LABELS),
  );
  return (
    <div
      className="life-chart"
      ref={place}
      onPointerDown={brushing.onPointerDown}
      onPointerMove={brushing.brush}
      onPointerUp={brushing.onPointerUp}
    >
      <svg width={width} height={height + AXIS} role="img" aria-label={messages.chart.label(life.trouble)}>
        <g transform={`translate(${LABELS} 0)`}>
          <TimeTicks ticks={axisTicks(scale, format)} height={height} />
          {brush ? <Brush from={x(brush.startNs)} until={x(brush.endNs)} width={inner} height={height} /> : null}
          {life.waits.map((wait) => (
            <Wait
              key={String(wait.start_ns)}
              wait={wait}
              left={x(wait.start_ns)}
              right={x(wait.end_ns)}
              top={rowOf(wait.before)}
            />
          ))}
          {life.steps.map((step) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list of steps offers the same by keyboard
            <rect
              key={`${step.ref} ${step.name}`}
              className={`life-step ${step.failed ? 'failed' : ''}`}
              x={x(step.start_ns)}
              y={rowOf(step.stage) + (ROW - BAR) / 2}
              width={Math.max(LEAST_PX, x(step.end_ns) - x(step.start_ns))}
              height={BAR}
              onClick={() => {
                if (brushing.ends()) return;
                select(step.ref);
                setPlayhead(nanos(step.start_ns));
                showDetails();
              }}
            >
              <title>{`${step.name}${lengthOf(step) > 0 ? ` ${formatDuration(lengthOf(step))}` : ''}${step.message === '' ? '' : `\n${step.message}`}`}</title>
            </rect>
          ))}
          {at !== null && at >= 0 && at <= inner ? (
            <line className="life-playhead" x1={at} x2={at} y1={0} y2={height} />
          ) : null}
        </g>
        {lifeStages.map((stage) => (
          <g key={stage}>
            <text className="chart-text" x={12} y={rowOf(stage) + ROW / 2 + 4}>
              {stage}
            </text>
            <line className="chart-grid" x1={0} x2={width} y1={rowOf(stage) + ROW} y2={rowOf(stage) + ROW} />
          </g>
        ))}
      </svg>
    </div>
  );
}

interface BrushProps {
  readonly from: number;
  readonly until: number;
  readonly width: number;
  readonly height: number;
}

/** The brushed window, within the repair. */
function Brush({ from, until, width, height }: BrushProps) {
  const [left, right] = [Math.max(0, from), Math.min(width, until)];
  return right > left ? <rect className="life-brush" x={left} width={right - left} y={0} height={height} /> : null;
}

interface WaitProps {
  readonly wait: LifeView['waits'][number];
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

const PIXELS_PER_LETTER = 7;

/** A dotted line with its length, in the row of the later step. */
function Wait({ wait, left, right, top }: WaitProps) {
  const text = formatDuration(lengthOf(wait));
  const middle = top + ROW / 2;
  const fits = right - left > text.length * PIXELS_PER_LETTER + 12;
  return (
    <g className="life-wait">
      <title>{messages.chart.waited(waitText(wait))}</title>
      <line x1={left} x2={right} y1={middle} y2={middle} />
      {fits ? (
        <text className="chart-text" x={(left + right) / 2} y={middle - 4} textAnchor="middle">
          {text}
        </text>
      ) : null}
    </g>
  );
}
