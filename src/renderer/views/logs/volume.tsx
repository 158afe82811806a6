import { useMemo } from 'react';
import type { LogTemplate } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { levelPath, logVolume, volumeLevels } from '../../draw/text/log-volume.ts';
import { setPlayhead, useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { TimeAxis } from '../../widgets/time-axis.tsx';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';
import type { LogTime } from './records.tsx';

const HEIGHT = 56;

/** Lines over time, errors below, by the worst line of each template; the table below has the same by template. */
export function Volume({ templates, time }: { readonly templates: readonly LogTemplate[]; readonly time: LogTime }) {
  const { place, width } = useWidth();
  const volume = useMemo(() => logVolume(templates), [templates]);
  const { most, totals } = volume;
  const view = useIncident(useFocus((focus) => focus.incident));
  const playhead = useFocus((focus) => focus.playhead);
  const length = Number(time.end_ns - time.start_ns);
  const xOf = (at: bigint): number => Math.min(width, Math.max(0, (Number(at - time.start_ns) / length) * width));
  const words = messages.volume(...volumeLevels.map(({ id }) => formatCount(totals[id])));
  return (
    <figure className="log-volume" data-testid="log-volume">
      <TimeAxis window={{ startNs: nanos(time.start_ns), endNs: nanos(time.end_ns) }} width={width} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: arrow keys move the playhead. */}
      <div
        ref={place}
        onClick={({ clientX, currentTarget }) => {
          const x = clientX - currentTarget.getBoundingClientRect().left;
          setPlayhead(nanos(time.start_ns + BigInt(Math.round((x / width) * length))));
        }}
      >
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
      </figcaption>
    </figure>
  );
}
