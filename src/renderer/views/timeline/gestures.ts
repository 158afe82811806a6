import { timeAt } from '../../draw/canvas/time-scale.ts';
import type { Scene } from '../../draw/timeline/scene.ts';
import { setBrush, setCursor, setPlayhead, setWindow, useFocus, zoomFraction } from '../../state/focus.ts';
import { usePreferences } from '../../state/preferences.ts';
import { panBy } from '../../state/time-window.ts';
import { startClockDrag } from './lane-clocks.ts';

export interface GestureTarget {
  readonly element: HTMLElement;
  readonly scroller: HTMLElement;
  readonly scene: () => Scene | undefined;
  readonly onHover: (x: number, y: number) => void;
  readonly onLeave: () => void;
  readonly onClick: (x: number, y: number) => void;
  readonly onDoubleClick: (x: number, y: number) => void;
  /** Right-click at a position of the element. Returns whether a menu opened. */
  readonly onMenu: (x: number, y: number, event: MouseEvent) => boolean;
}

const DRAG_PX = 4;
/** A notch of a wheel is 100 to 120 px: 1.2 times. */
const ZOOM_PER_PIXEL = 0.0016;
/** A pinch arrives as Ctrl+wheel in small steps. */
const PINCH_PER_PIXEL = 0.012;
const MOST_PINCH_PX = 40;

/** Mouse and touchpad gestures over the lanes; each has a keyboard equivalent. */
export function listenGestures(target: GestureTarget): () => void {
  const { element } = target;
  const stop = new AbortController();
  const options = { signal: stop.signal };
  element.addEventListener('wheel', (event) => onWheel(event, target), { passive: false, signal: stop.signal });
  element.addEventListener('pointerdown', (event) => startDrag(event, target), options);
  element.addEventListener(
    'pointermove',
    (event) => {
      const scene = target.scene();
      if (!scene) return;
      const { x, y } = within(event, element);
      setCursor(timeAt(scene.scale, x));
      if (event.buttons === 0) target.onHover(x, y);
    },
    options,
  );
  element.addEventListener(
    'pointerleave',
    () => {
      setCursor(null);
      target.onLeave();
    },
    options,
  );
  element.addEventListener('dblclick', (event) => callAt(event, element, target.onDoubleClick), options);
  element.addEventListener(
    'contextmenu',
    (event) => {
      const { x, y } = within(event, element);
      if (target.onMenu(x, y, event)) event.preventDefault();
    },
    options,
  );
  return () => stop.abort();
}

const within = (event: MouseEvent, element: HTMLElement): { readonly x: number; readonly y: number } => {
  const rect = element.getBoundingClientRect();
  return { x: event.clientX - rect.left, y: event.clientY - rect.top };
};

function callAt(event: MouseEvent, element: HTMLElement, call: (x: number, y: number) => void): void {
  const { x, y } = within(event, element);
  call(x, y);
}

/**
 * As in other trace viewers: the wheel scrolls the lanes, with Ctrl or a pinch it zooms at the mouse, with Shift or sideways it pans.
 * By preference the wheel zooms, and scrolls with Alt.
 */
function onWheel(event: WheelEvent, target: GestureTarget): void {
  const scene = target.scene();
  if (!scene) return;
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const zooms = event.ctrlKey || (usePreferences.getState().wheel === 'zoom' && !event.altKey);
  // The lanes scroll by themselves, as smoothly as the system does it.
  if (!zooms && !isSideways && !event.altKey) return;
  event.preventDefault();
  if (event.altKey) {
    target.scroller.scrollTop += event.deltaY * unit;
    return;
  }
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (isSideways) {
    setWindow(panBy(useFocus.getState().window, sideways * unit * scene.scale.nsPerPixel));
    return;
  }
  const delta = event.deltaY * unit;
  const rate = event.ctrlKey && Math.abs(delta) < MOST_PINCH_PX ? PINCH_PER_PIXEL : ZOOM_PER_PIXEL;
  zoomFraction(Math.exp(delta * rate), timeAt(scene.scale, within(event, target.element).x));
}

/** Drags time horizontally and the lanes vertically; a press without movement is a click. */
function startDrag(down: PointerEvent, target: GestureTarget): void {
  const { element, scroller } = target;
  const scene = target.scene();
  if (!scene || down.button !== 0) return;
  if (down.shiftKey) return startBrush(down, target, scene);
  if (down.altKey && startClockDrag(down, element, scene)) return;
  const window = useFocus.getState().window;
  const scrollTop = scroller.scrollTop;
  let dragged = false;
  element.setPointerCapture(down.pointerId);
  const stop = new AbortController();
  element.addEventListener(
    'pointermove',
    (event) => {
      const dx = event.clientX - down.clientX;
      const dy = event.clientY - down.clientY;
      dragged ||= Math.hypot(dx, dy) > DRAG_PX;
      if (!dragged) return;
      element.classList.add('dragging');
      setWindow(panBy(window, -dx * scene.scale.nsPerPixel));
      scroller.scrollTop = scrollTop - dy;
    },
    { signal: stop.signal },
  );
  element.addEventListener(
    'lostpointercapture',
    (event) => {
      stop.abort();
      element.classList.remove('dragging');
      if (!dragged) callAt(event, element, target.onClick);
    },
    { signal: stop.signal },
  );
}

/** Shift+drag brushes a window. */
function startBrush(down: PointerEvent, { element }: GestureTarget, scene: Scene): void {
  const stop = new AbortController();
  const from = timeAt(scene.scale, within(down, element).x);
  element.setPointerCapture(down.pointerId);
  element.addEventListener('pointermove', (event) => setBrush(from, timeAt(scene.scale, within(event, element).x)), {
    signal: stop.signal,
  });
  element.addEventListener('lostpointercapture', () => stop.abort(), { signal: stop.signal });
}

/** Press and drag on the axis moves the playhead. */
export function listenScrub(element: HTMLElement, scene: () => Scene | undefined): () => void {
  const stop = new AbortController();
  const park = (event: PointerEvent) => {
    const current = scene();
    if (current && event.buttons !== 0) setPlayhead(timeAt(current.scale, within(event, element).x));
  };
  element.addEventListener(
    'pointerdown',
    (event) => {
      element.setPointerCapture(event.pointerId);
      park(event);
    },
    { signal: stop.signal },
  );
  element.addEventListener('pointermove', park, { signal: stop.signal });
  return () => stop.abort();
}
