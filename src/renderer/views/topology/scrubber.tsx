import { useEffect, useState } from 'react';
import { type Nanos, nanos } from '../../../model/time.ts';
import { formatOffset } from '../../draw/text/format-time.ts';
import { setPlayhead, useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useIncident } from '../../state/known.ts';
import { plus, spanOf } from '../../state/time-window.ts';
import { useSteadyWindow } from '../../state/use-settled-window.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { messages } from './messages.ts';
import { useInstant } from './use-map.ts';

/** Positions of the slider. */
const STEPS = 2000;
/** Seconds in which the window is played. */
const PLAY_S = 20;

/** The playhead within the window; moving it replays the failure on the map. */
export function Scrubber() {
  const window = useSteadyWindow();
  const onset = useFocus((focus) => focus.onset);
  const at = nanos(useInstant());
  const view = useIncident(useFocus((focus) => focus.incident));
  const format = useTimeFormat();
  const [playing, setPlaying] = usePlaying(window);
  const share = (time: bigint): number => Math.min(1, Math.max(0, Number(time - window.startNs) / spanOf(window)));
  const words = `${formatInstant(at, format)}${onset !== null && format.mode !== 'relative' ? messages.scrubber.onset(formatOffset(Number(at - onset))) : ''}`;
  return (
    <div className="scrubber">
      <button
        type="button"
        className="plain"
        aria-pressed={playing}
        title={messages.scrubber.title}
        onClick={() => {
          // From the onset on nothing more happens: the failure is what led to it.
          const first = view?.steps[0]?.time_ns;
          if (!playing && first !== undefined && at >= view!.onset_ns) setPlayhead(beforeFirst(window, first));
          setPlaying(!playing);
        }}
      >
        {playing ? messages.scrubber.pause : messages.scrubber.play}
      </button>
      <div className="scrubber-track">
        <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1000 16">
          {view ? (
            <rect
              className="scrubber-impact"
              x={share(view.onset_ns) * 1000}
              width={Math.max(1, (share(view.end_ns) - share(view.onset_ns)) * 1000)}
              height={16}
            />
          ) : null}
          {view?.steps.map((step) => (
            <rect key={step.ref} className="scrubber-step" x={share(step.time_ns) * 1000} width={2} height={16} />
          ))}
        </svg>
        <input
          type="range"
          aria-label={messages.scrubber.playhead}
          aria-valuetext={words}
          min={0}
          max={STEPS}
          value={Math.round(share(at) * STEPS)}
          onChange={(event) => {
            setPlaying(false);
            setPlayhead(plus(window.startNs, (spanOf(window) * Number(event.target.value)) / STEPS));
          }}
        />
      </div>
      <time className="number" data-testid="map-time">
        {words}
      </time>
    </div>
  );
}

/** A moment before the first step, within the window. */
function beforeFirst(window: TimeWindow, first: bigint): Nanos {
  const before = plus(nanos(first), -spanOf(window) / PLAY_S);
  return before < window.startNs ? window.startNs : before;
}

/** Moves the playhead once per frame, to the end of the window. */
function usePlaying(window: TimeWindow): [boolean, (playing: boolean) => void] {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return undefined;
    let frame = 0;
    let before = performance.now();
    const step = (now: number) => {
      const { playhead } = useFocus.getState();
      const from =
        playhead === null || playhead < window.startNs || playhead >= window.endNs ? window.startNs : playhead;
      const next = plus(from, (spanOf(window) * (now - before)) / (PLAY_S * 1000));
      before = now;
      if (next >= window.endNs) {
        setPlayhead(window.endNs);
        setPlaying(false);
        return;
      }
      setPlayhead(next);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, window]);
  return [playing, setPlaying];
}
