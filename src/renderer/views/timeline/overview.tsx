import { useEffect, useRef } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { drawOverview, type OverviewData } from '../../draw/overview-strip.ts';
import { type TimeScale, timeAt, timeScale, xOf } from '../../draw/time-scale.ts';
import { readPalette } from '../../draw/tokens.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import { onThemeChange } from '../../state/preferences.ts';
import { makeWindow, panBy } from '../../state/time-window.ts';

export interface OverviewProps {
  readonly data: OverviewData | undefined;
  readonly incidents: readonly IncidentView[];
}

const HEIGHT = 32;
const GRIP_PX = 6;

/** The whole case in one strip; press and drag to choose what the lanes show. */
export function Overview({ data, incidents }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const paint = () => paintOverview(element, data, incidents);
    const observer = new ResizeObserver(paint);
    observer.observe(element.parentElement as HTMLElement);
    const undo = [
      onThemeChange(paint),
      useFocus.subscribe((now, before) => {
        if (now.window !== before.window || now.bounds !== before.bounds || now.incident !== before.incident) paint();
      }),
      listenBrush(element),
    ];
    paint();
    return () => {
      observer.disconnect();
      for (const each of undo) each();
    };
  }, [data, incidents]);
  return (
    <div className="overview">
      <canvas
        ref={canvas}
        role="img"
        aria-label="Overview of the whole case: event density, impact windows, and the part on screen. W A S D zoom and pan."
      />
    </div>
  );
}

const scaleOf = (element: HTMLCanvasElement): TimeScale => {
  const { bounds } = useFocus.getState();
  return timeScale(bounds.startNs, bounds.endNs, element.parentElement?.clientWidth ?? 1, window.devicePixelRatio);
};

function paintOverview(
  element: HTMLCanvasElement,
  data: OverviewData | undefined,
  incidents: readonly IncidentView[],
): void {
  const pen = element.getContext('2d');
  if (!pen) return;
  const scale = scaleOf(element);
  const ratio = scale.pixelRatio;
  element.width = Math.round(scale.width * ratio);
  element.height = HEIGHT * ratio;
  element.style.width = `${scale.width}px`;
  element.style.height = `${HEIGHT}px`;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const { window: view, incident } = useFocus.getState();
  drawOverview(pen, data, scale, {
    palette: readPalette(document.documentElement),
    height: HEIGHT,
    windowStartNs: view.startNs,
    windowEndNs: view.endNs,
    impacts: incidents.map((each) => ({
      onsetEarliestNs: each.onset_earliest_ns,
      onsetNs: each.onset_ns,
      endNs: each.end_ns,
      selected: each.incident.id === incident,
    })),
  });
}

/** Grips resize, the inside moves, anywhere else starts a new window. */
function listenBrush(element: HTMLCanvasElement): () => void {
  const stop = new AbortController();
  let follow: ((x: number) => void) | undefined;
  const xAt = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  element.addEventListener(
    'pointerdown',
    (event) => {
      element.setPointerCapture(event.pointerId);
      follow = startBrush(scaleOf(element), xAt(event));
    },
    { signal: stop.signal },
  );
  element.addEventListener('pointermove', (event) => follow?.(xAt(event)), { signal: stop.signal });
  element.addEventListener(
    'lostpointercapture',
    () => {
      follow = undefined;
    },
    { signal: stop.signal },
  );
  return () => stop.abort();
}

function startBrush(scale: TimeScale, from: number): (x: number) => void {
  const { window: view } = useFocus.getState();
  const left = xOf(scale, view.startNs);
  const right = xOf(scale, view.endNs);
  const between = (a: number, b: number) => {
    const start = Math.min(a, b);
    setWindow(makeWindow(timeAt(scale, start), Math.max(1, Math.abs(b - a)) * scale.nsPerPixel));
  };
  if (right - left < scale.width * 0.98) {
    if (Math.abs(from - left) <= GRIP_PX) return (x) => between(x, right);
    if (Math.abs(from - right) <= GRIP_PX) return (x) => between(left, x);
    if (from > left && from < right) return (x) => setWindow(panBy(view, (x - from) * scale.nsPerPixel));
  }
  let moved = false;
  return (x) => {
    moved ||= Math.abs(x - from) > 3;
    if (moved) between(from, x);
  };
}
