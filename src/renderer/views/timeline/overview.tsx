import { useEffect, useRef } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { type TimeScale, timeAt, timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { type Palette, readPalette } from '../../draw/canvas/tokens.ts';
import { drawOverview, drawOverviewWindow, type OverviewData } from '../../draw/timeline/overview-chart.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import { onThemeChange } from '../../state/preferences.ts';
import { makeWindow, panBy } from '../../state/time-window.ts';
import { messages } from './messages.ts';

export interface OverviewProps {
  readonly data: OverviewData | undefined;
  readonly incidents: readonly IncidentView[];
}

const HEIGHT = 32;
const GRIP_PX = 6;

/** The whole case in one chart; press and drag to select the window of the lanes. */
export function Overview({ data, incidents }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const background = document.createElement('canvas');
    let frame = 0;
    let isStale = true;
    let palette = readPalette(document.documentElement);
    const paintNow = () => {
      frame = 0;
      const scale = scaleOf(element);
      if (isStale) {
        palette = readPalette(document.documentElement);
        paintBackground(background, scale, data, { palette, incidents });
      }
      isStale = false;
      paintOverview(element, scale, background, palette);
    };
    const repaint = () => {
      frame ||= requestAnimationFrame(paintNow);
    };
    const paint = () => {
      isStale = true;
      repaint();
    };
    const observer = new ResizeObserver(paint);
    observer.observe(element.parentElement!);
    const undo = [
      onThemeChange(paint),
      useFocus.subscribe((now, before) => {
        if (now.bounds !== before.bounds || now.incident !== before.incident) paint();
        else if (now.window !== before.window) repaint();
      }),
      listenBrush(element),
    ];
    paint();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      for (const each of undo) each();
    };
  }, [data, incidents]);
  return (
    <div className="overview">
      <canvas ref={canvas} role="img" aria-label={messages.overview} />
    </div>
  );
}

const scaleOf = (element: HTMLCanvasElement): TimeScale => {
  const { bounds } = useFocus.getState();
  return timeScale(bounds.startNs, bounds.endNs, element.parentElement?.clientWidth ?? 1, window.devicePixelRatio);
};

/** Everything but the window, which moves with every frame of a gesture. */
function paintBackground(
  background: HTMLCanvasElement,
  scale: TimeScale,
  data: OverviewData | undefined,
  { palette, incidents }: { readonly palette: Palette; readonly incidents: readonly IncidentView[] },
): void {
  sizeCanvas(background, scale.width, HEIGHT, scale.pixelRatio);
  const pen = background.getContext('2d');
  if (!pen) return;
  const { incident } = useFocus.getState();
  drawOverview(pen, data, scale, {
    palette,
    height: HEIGHT,
    impacts: incidents.map((each) => ({
      onsetEarliestNs: each.onset_earliest_ns,
      onsetNs: each.onset_ns,
      endNs: each.end_ns,
      selected: each.incident.id === incident,
    })),
  });
}

function paintOverview(
  element: HTMLCanvasElement,
  scale: TimeScale,
  background: HTMLCanvasElement,
  palette: Palette,
): void {
  sizeCanvas(element, scale.width, HEIGHT, scale.pixelRatio);
  const pen = element.getContext('2d');
  if (!pen) return;
  pen.drawImage(background, 0, 0, scale.width, HEIGHT);
  drawOverviewWindow(pen, useFocus.getState().window, scale, { palette, height: HEIGHT });
}

/** Handles resize, the inside moves, a drag elsewhere selects a new window. */
function listenBrush(element: HTMLCanvasElement): () => void {
  const stop = new AbortController();
  let follow: ((x: number) => void) | undefined;
  let pressed = 0;
  const xAt = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  element.addEventListener(
    'pointerdown',
    (event) => {
      element.setPointerCapture(event.pointerId);
      pressed = xAt(event);
      follow = startBrush(scaleOf(element), pressed);
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
  element.addEventListener(
    'click',
    (event) => {
      const x = event.clientX - element.getBoundingClientRect().left;
      if (Math.abs(x - pressed) <= CLICK_PX) centre(scaleOf(element), x);
    },
    { signal: stop.signal },
  );
  return () => stop.abort();
}

/** A pointer that moved less did not drag. */
const CLICK_PX = 3;

/** A click beside the window brings it there. */
function centre(scale: TimeScale, x: number): void {
  const { window: view } = useFocus.getState();
  const [left, right] = [xOf(scale, view.startNs), xOf(scale, view.endNs)];
  if (x < left - GRIP_PX || x > right + GRIP_PX) setWindow(panBy(view, (x - (left + right) / 2) * scale.nsPerPixel));
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
    moved ||= Math.abs(x - from) > CLICK_PX;
    if (moved) between(from, x);
  };
}
