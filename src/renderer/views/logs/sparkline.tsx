import type { PointerEvent } from 'react';
import { nanos } from '../../../model/time.ts';
import { useFocus } from '../../state/focus.ts';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import type { LogTime } from './records.tsx';

export const BUCKETS = 60;
const HEIGHT = 14;

interface SparklineProps {
  readonly counts: Int32Array;
  readonly onset: number | null;
  /** The window of the counts. */
  readonly time: LogTime;
}

/** Lines over the window, one bar per bucket, with a line at the onset. Shift+drag brushes a window. */
export function Sparkline({ counts, onset, time }: SparklineProps) {
  const length = Number(time.end_ns - time.start_ns);
  const placeOf = (at: bigint): number => Math.min(Math.max(Number(at - time.start_ns) / length, 0), 1) * counts.length;
  const brushing = useTimeBrush(({ clientX, currentTarget }: PointerEvent<Element>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return nanos(time.start_ns + BigInt(Math.round(((clientX - left) / Math.max(width, 1)) * length)));
  });
  const brush = useFocus((focus) => focus.brush);
  const [from, until] = brush ? [placeOf(brush.startNs), placeOf(brush.endNs)] : [0, 0];
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const bars = Array.from(counts, (count, at) =>
    count === 0 ? '' : `M${at} ${HEIGHT}h1v${-Math.max(1, (count / most) * HEIGHT).toFixed(2)}h-1z`,
  ).join('');
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${counts.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={brushing.onPointerDown}
      onPointerMove={brushing.brush}
      onPointerUp={brushing.onPointerUp}
      onClick={(event) => brushing.ends() && event.stopPropagation()}
    >
      {until > from ? <rect className="sparkline-brush" x={from} width={until - from} y={0} height={HEIGHT} /> : null}
      <path d={bars} className="sparkline-bars" />
      {onset === null ? null : <path d={`M${onset * counts.length} 0v${HEIGHT}`} className="sparkline-onset" />}
    </svg>
  );
}
