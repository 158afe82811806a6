import { axisTicks } from '../draw/canvas/axis.ts';
import { timeScale } from '../draw/canvas/time-scale.ts';
import type { TimeFormat } from '../draw/text/format-time.ts';
import type { TimeWindow } from '../state/focus-history.ts';
import { useTimeFormat } from '../state/use-time-format.ts';

interface TimeAxisProps {
  readonly window: TimeWindow;
  readonly width: number;
  /** Left out: that of the case. */
  readonly format?: TimeFormat;
}

/** About the width of a digit: a label that would be cut at the end is left out, its tick stays. */
const LETTER_PX = 7;

/** Round instants above a chart, with the spacing of the timeline. */
export function TimeAxis({ window, width, format: own }: TimeAxisProps) {
  const shared = useTimeFormat();
  const format = own ?? shared;
  return (
    <div className="time-axis muted number" aria-hidden="true">
      {axisTicks(timeScale(window.startNs, window.endNs, width), format).map(({ x, label }) => (
        <span key={x} style={{ left: x }}>
          {x + LETTER_PX * label.length > width ? '' : label}
        </span>
      ))}
    </div>
  );
}
