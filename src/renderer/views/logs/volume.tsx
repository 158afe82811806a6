import { type PointerEvent, useMemo, useRef, useState } from 'react';
import type { LogFacets } from '../../../model/contract/index.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { levelPath, logVolume, volumeLevels } from '../../draw/text/log-volume.ts';
import { setPlayhead, setWindow, useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';
import type { LogTime } from './records.tsx';

const HEIGHT = 56;
/** A shorter way of the pointer is a click. */
const DRAG_PX = 4;

interface VolumeProps {
  /** undefined: not known yet; its place is kept, so that no row below moves under the pointer. */
  readonly facets: LogFacets | undefined;
  readonly time: LogTime;
}

/** Lines over time by level, errors below: a drag sets the window, with Shift it brushes, a click sets the playhead. */
export function Volume({ facets, time }: VolumeProps) {
  const { place, width } = useWidth();
  const volume = useMemo(() => logVolume(facets?.levels ?? []), [facets]);
  const { most, totals } = volume;
  const view = useIncident(useFocus((focus) => focus.incident));
  const playhead = useFocus((focus) => focus.playhead);
  const brush = useFocus((focus) => focus.brush);
  const length = Number(time.end_ns - time.start_ns);
  const xOf = (at: bigint): number => Math.min(width, Math.max(0, (Number(at - time.start_ns) / length) * width));
  const timeUnder = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }): Nanos => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    return nanos(time.start_ns + BigInt(Math.round((x / Math.max(width, 1)) * length)));
  };
  const drag = useDrag(timeUnder);
  const words = messages.volume(...volumeLevels.map(({ id }) => formatCount(totals[id])));
  const marked = [...(brush ? [brush] : []), ...(drag.over ? [drag.over] : [])];
  return (
    <figure className={facets ? 'log-volume' : 'log-volume unknown'} data-testid="log-volume">
      <TimeAxis window={{ startNs: nanos(time.start_ns), endNs: nanos(time.end_ns) }} width={width} />
      <div ref={place} title={messages.facets.brush} {...drag.handlers}>
        <svg width={width} height={HEIGHT} role="img" aria-label={words}>
          {view ? (
            <rect
              className="log-impact"
              x={xOf(view.onset_ns)}
              width={xOf(view.end_ns) - xOf(view.onset_ns)}
              height={HEIGHT}
            />
          ) : null}
          {volumeLevels.map(({ id }) => (
            <path key={id} className={`log-${id}`} d={levelPath(volume, id, { width, height: HEIGHT })} />
          ))}
          {marked.map(({ startNs, endNs }) => (
            <rect
              key={`${startNs} ${endNs}`}
              className="log-drag"
              x={xOf(startNs)}
              width={xOf(endNs) - xOf(startNs)}
              height={HEIGHT}
            />
          ))}
          {playhead === null ? null : (
            <line className="log-playhead" x1={xOf(playhead)} x2={xOf(playhead)} y1={0} y2={HEIGHT} />
          )}
        </svg>
      </div>
      <figcaption className="muted">
        {volumeLevels.map(({ id }) => (
          <span key={id}>
            <i className={`log-key log-${id}`} /> {messages.levels[id]} {formatCount(totals[id])}
          </span>
        ))}
        <span>{messages.mostLines(formatCount(most))}</span>
        {facets && facets.share > 1 ? <span>{messages.facets.estimated(facets.share)}</span> : null}
      </figcaption>
    </figure>
  );
}

type Under = (event: { clientX: number; currentTarget: Element }) => Nanos;

/** A drag over the chart, and the time that it covers meanwhile. */
function useDrag(timeUnder: Under) {
  const begun = useRef<{ readonly x: number; readonly at: Nanos } | null>(null);
  const [over, setOver] = useState<{ readonly startNs: Nanos; readonly endNs: Nanos } | null>(null);
  const brushing = useTimeBrush(timeUnder);
  const onPointerDown = (event: PointerEvent<Element>) => {
    brushing.onPointerDown(event);
    if (event.shiftKey || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, at: timeUnder(event) };
  };
  const onPointerMove = (event: PointerEvent<Element>) => {
    brushing.brush(event);
    const from = begun.current;
    if (!from || Math.abs(event.clientX - from.x) < DRAG_PX) return;
    const at = timeUnder(event);
    setOver(at < from.at ? { startNs: at, endNs: from.at } : { startNs: from.at, endNs: at });
  };
  const onPointerUp = () => {
    brushing.onPointerUp();
    begun.current = null;
  };
  const onClick = (event: { clientX: number; currentTarget: Element }) => {
    if (brushing.ends()) return;
    if (over) setWindow(over);
    else setPlayhead(timeUnder(event));
    setOver(null);
  };
  return { over, handlers: { onPointerDown, onPointerMove, onPointerUp, onClick } };
}
