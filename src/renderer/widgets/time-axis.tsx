import { axisTicks } from '../draw/canvas/axis.ts';
import { timeScale } from '../draw/canvas/time-scale.ts';
import type { TimeWindow } from '../state/focus-history.ts';
import { useTimeFormat } from '../state/use-time-format.ts';

/** Round instants above a chart, with the spacing of the timeline. */
export function TimeAxis({ window, width }: { readonly window: TimeWindow; readonly width: number }) {
  const format = useTimeFormat();
  return (
    <div className="time-axis muted number" aria-hidden="true">
      {axisTicks(timeScale(window.startNs, window.endNs, width), format).map(({ x, label }) => (
        <span key={x} style={{ left: x }}>
          {label}
        </span>
      ))}
    </div>
  );
}
