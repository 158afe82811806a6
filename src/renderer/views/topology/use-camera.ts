import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** The visible part of a map: its corner in map units, and pixels per unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Of a map that is fitted: its names are read at half size, and a map that is wider than the view would hide where the impact is. */
const LEAST_WIDE = 0.5;
const LEAST_HIGH = 0.62;
const LEAST_SCALE = 0.2;
const MOST_SCALE = 2.5;

export interface CameraControl {
  readonly camera: Camera;
  fitAll(): void;
  /** Zooms around the centre of the map. */
  zoom(factor: number): void;
  /** Moves the camera so that a place is visible. */
  reveal(x: number, y: number, width: number, height: number): void;
  /** The result of `draw`, which finds the map as it is at full size, whatever the camera shows. */
  atFullSize<T>(draw: () => T): T;
  /** From pixels of the page to units of the map. */
  toMap(clientX: number, clientY: number): { readonly x: number; readonly y: number };
}

/** Pans by dragging or scrolling, zooms with Ctrl+wheel; fits the map until the investigator moves it. */
export function useCamera(
  element: RefObject<SVGSVGElement | null>,
  size: { readonly width: number; readonly height: number },
): CameraControl {
  const [camera, setCamera] = useState<Camera>({ x: 0, y: 0, scale: 1 });
  const moved = useRef(false);
  const now = useRef(camera);
  now.current = camera;
  const clientRect = useCallback(() => element.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1), [element]);
  const move = useCallback((next: Camera) => {
    moved.current = true;
    setCamera(next);
  }, []);
  const fitAll = useCallback(() => {
    const { width, height } = clientRect();
    moved.current = false;
    setCamera(fitted(size, width, height));
  }, [clientRect, size]);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const observer = new ResizeObserver(() => !moved.current && fitAll());
    observer.observe(target);
    if (!moved.current) fitAll();
    return () => observer.disconnect();
  }, [element, fitAll]);
  const zoomAt = useCallback(
    (factor: number, px: number, py: number) => {
      const { x, y, scale } = now.current;
      const next = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale * factor));
      move({ scale: next, x: x + px / scale - px / next, y: y + py / scale - py / next });
    },
    [move],
  );
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = clientRect();
      if (event.ctrlKey || event.metaKey)
        return zoomAt(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
      const { x, y, scale } = now.current;
      return move({ scale, x: x + event.deltaX / scale, y: y + event.deltaY / scale });
    };
    target.addEventListener('wheel', wheel, { passive: false });
    const undrag = listenDrag(target, (dx, dy) => {
      const { x, y, scale } = now.current;
      move({ scale, x: x - dx / scale, y: y - dy / scale });
    });
    return () => {
      target.removeEventListener('wheel', wheel);
      undrag();
    };
  }, [element, clientRect, move, zoomAt]);
  return {
    camera,
    fitAll,
    zoom: (factor) => zoomAt(factor, clientRect().width / 2, clientRect().height / 2),
    reveal: (x, y, width, height) => {
      const shown = now.current;
      const view = clientRect();
      const next = {
        scale: shown.scale,
        x: inside(x, width, shown.x, view.width / shown.scale),
        y: inside(y, height, shown.y, view.height / shown.scale),
      };
      if (next.x !== shown.x || next.y !== shown.y) move(next);
    },
    atFullSize: (draw) => atFullSize(now.current, setCamera, draw),
    toMap: (clientX, clientY) => {
      const { left, top } = clientRect();
      return { x: camera.x + (clientX - left) / camera.scale, y: camera.y + (clientY - top) / camera.scale };
    },
  };
}

/** The start of the visible range that contains a range of the map: as it is, or moved. */
const inside = (from: number, length: number, start: number, extent: number): number =>
  from < start ? from - 24 : from + length > start + extent ? from + length - extent + 24 : start;

function atFullSize<T>(shown: Camera, setCamera: (camera: Camera) => void, draw: () => T): T {
  flushSync(() => setCamera({ ...shown, scale: 1 }));
  try {
    return draw();
  } finally {
    flushSync(() => setCamera(shown));
  }
}

function fitted(size: { width: number; height: number }, width: number, height: number): Camera {
  const wide = Math.max(LEAST_WIDE, width / size.width);
  const scale = Math.min(1.15, wide, Math.max(LEAST_HIGH, height / size.height));
  const spare = (have: number, need: number) => Math.min(0, (need - have / scale) / 2);
  return { scale, x: spare(width, size.width), y: spare(height, size.height) };
}

/** Drags only start on empty space: nodes are clicked, not dragged. */
function listenDrag(target: SVGSVGElement, onMove: (dx: number, dy: number) => void): () => void {
  const stop = new AbortController();
  let last: { readonly x: number; readonly y: number } | undefined;
  const listen = <K extends keyof SVGSVGElementEventMap>(type: K, on: (event: SVGSVGElementEventMap[K]) => void) =>
    target.addEventListener(type, on, { signal: stop.signal });
  listen('pointerdown', (event) => {
    const isGround = event.target instanceof Element && !event.target.closest('[role="button"]');
    if (event.button !== 0 || !isGround || target.dataset.tool === 'region') return;
    last = { x: event.clientX, y: event.clientY };
    target.setPointerCapture(event.pointerId);
  });
  listen('pointermove', (event) => {
    if (!last) return;
    onMove(event.clientX - last.x, event.clientY - last.y);
    last = { x: event.clientX, y: event.clientY };
  });
  listen('lostpointercapture', () => {
    last = undefined;
  });
  return () => stop.abort();
}
