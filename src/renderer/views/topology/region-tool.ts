import { type RefObject, useEffect, useState } from 'react';
import { annotate, freshAnnotation } from '../../state/annotations.ts';
import { useFocus } from '../../state/focus.ts';
import { messages } from './messages.ts';
import { NODE_HEIGHT, NODE_WIDTH } from './power-layout.ts';
import type { CameraControl } from './use-camera.ts';
import type { PowerMap } from './use-map.ts';

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const ROOM = 12;
/** A shorter drag is a click. */
const LEAST = 16;

export interface RegionTool {
  readonly tool: 'region' | null;
  setTool(tool: 'region' | null): void;
}

/** Draws a region: by dragging on empty space, or around the selection. Its text can be edited in Notes. */
export function useRegionTool(
  svg: RefObject<SVGSVGElement | null>,
  control: CameraControl,
  { layout, model }: PowerMap,
): RegionTool {
  const [tool, setTool] = useState<'region' | null>(null);
  useEffect(() => {
    const target = svg.current;
    if (!target || tool === null) return undefined;
    target.dataset.tool = tool;
    const stop = new AbortController();
    let from: { readonly x: number; readonly y: number } | undefined;
    target.addEventListener(
      'pointerdown',
      (event) => {
        from = control.toMap(event.clientX, event.clientY);
      },
      { signal: stop.signal },
    );
    target.addEventListener(
      'pointerup',
      (event) => {
        if (!from) return;
        const frame = between(from, control.toMap(event.clientX, event.clientY));
        from = undefined;
        if (frame.width < LEAST || frame.height < LEAST) return;
        saveRegion(frame);
        setTool(null);
      },
      { signal: stop.signal },
    );
    return () => {
      delete target.dataset.tool;
      stop.abort();
    };
  }, [svg, control, tool]);
  return {
    tool,
    setTool: (next) => {
      const { entities } = useFocus.getState();
      const nodeRects = entities.flatMap(
        (entityKey) => layout.nodeRects.get(model.nodeByEntity.get(entityKey) ?? '') ?? [],
      );
      if (next === null || nodeRects.length === 0) return setTool(next);
      const [left, top] = [Math.min(...nodeRects.map(({ x }) => x)), Math.min(...nodeRects.map(({ y }) => y))];
      const right = Math.max(...nodeRects.map(({ x }) => x)) + NODE_WIDTH;
      const bottom = Math.max(...nodeRects.map(({ y }) => y)) + NODE_HEIGHT;
      saveRegion({
        x: left - ROOM,
        y: top - 2 * ROOM,
        width: right - left + 2 * ROOM,
        height: bottom - top + 3 * ROOM,
      });
    },
  };
}

const between = (a: { x: number; y: number }, b: { x: number; y: number }): Frame => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

function saveRegion(frame: Frame): void {
  const noteText = document.querySelector<HTMLInputElement>('[data-annotate]')?.value.trim() ?? '';
  void annotate(messages.region.added, {
    put: [{ kind: 'region', ...freshAnnotation(noteText), map: 'power', ...frame }],
  });
}
