import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../../model/problem.ts';
import { nanos } from '../../../model/time.ts';
import { timeAt } from '../../draw/canvas/time-scale.ts';
import { entityKeyOf } from '../../draw/tables/row-tree.ts';
import type { Layout } from '../../draw/timeline/row-layout.ts';
import { rowAt } from '../../draw/timeline/row-layout.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import { type ActionTarget, openActionMenu } from '../../state/action-menu.ts';
import { entityTarget, recordTarget, selectedTarget } from '../../state/actions.ts';
import { noteFlags } from '../../state/annotations.ts';
import { showDetails } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { select, selectEntity, setPlayhead, useFocus, zoomTo } from '../../state/focus.ts';
import { setHover } from '../../state/hovering.ts';
import { incidentOf, useAnnotationList, useIncidents } from '../../state/known.ts';
import { useLive } from '../../state/live.ts';
import { showRows } from '../../state/show-rows.ts';
import { spanOf } from '../../state/time-window.ts';
import { timeFormat, useTimeFormat } from '../../state/use-time-format.ts';
import { listenGestures, listenScrub } from './gestures.ts';
import { findHover, type Hover } from './hover.ts';
import { useLaneShifts } from './lane-clocks.ts';
import { LaneStore } from './lane-store.ts';
import { rowsTableOf } from './lane-target.ts';
import { Stage } from './stage.ts';

export interface StageRefs {
  readonly lanes: RefObject<HTMLCanvasElement | null>;
  readonly overlay: RefObject<HTMLCanvasElement | null>;
  readonly values: RefObject<HTMLCanvasElement | null>;
  readonly cursor: RefObject<HTMLDivElement | null>;
  readonly axis: RefObject<HTMLCanvasElement | null>;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

interface Staged {
  readonly stage: Stage;
  readonly store: LaneStore;
}

export interface StageAnswer {
  readonly problem: Problem | null;
  readonly retry: () => void;
  /** The current data of a lane. */
  readonly entryOf: (lane: string) => LaneEntry | undefined;
}

/** Connects the canvases, the stage and the layout; returns loading errors. */
export function useStage(refs: StageRefs, layout: Layout): StageAnswer {
  const incidents = useIncidents();
  const incident = useFocus((focus) => focus.incident);
  const annotations = useAnnotationList();
  const format = useTimeFormat();
  const staged = useRef<Staged>(undefined);
  const [problem, setProblem] = useState<Problem | null>(null);

  useEffect(() => {
    const elements = {
      lanes: refs.lanes.current,
      overlay: refs.overlay.current,
      values: refs.values.current,
      cursor: refs.cursor.current,
      axis: refs.axis.current,
      scroller: refs.scroller.current,
    };
    const { lanes, overlay, values, cursor, axis, scroller } = elements;
    if (!lanes || !overlay || !values || !cursor || !axis || !scroller) return undefined;
    const store = new LaneStore(client(), () => {
      setProblem(store.problem);
      stage.invalidate();
    });
    const stage = new Stage({ lanes, overlay, values, cursor, axis, scroller }, store);
    staged.current = { stage, store };
    const undo = [
      listenPointer(stage, overlay, scroller),
      listenScrub(axis, () => stage.scene),
      useLive.subscribe((now, before) => {
        if (now.rowsCame === before.rowsCame) return;
        store.rowsCame();
        stage.invalidate();
      }),
    ];
    return () => {
      for (const each of undo) each();
      stage.close();
    };
  }, [refs]);

  useEffect(() => {
    staged.current?.stage.show({ layout, incidents: incidents ?? [], incident, format });
  }, [layout, incidents, incident, format]);
  useEffect(() => {
    staged.current?.stage.flag(noteFlags(annotations));
  }, [annotations]);

  const stageOf = useCallback(() => staged.current?.stage, []);
  useLaneShifts(stageOf);

  const retry = () => {
    setProblem(null);
    staged.current?.store.retry();
  };
  const entryOf = useCallback((lane: string) => staged.current?.store.get(lane), []);
  return { problem, retry, entryOf };
}

function listenPointer(stage: Stage, element: HTMLElement, scroller: HTMLElement): () => void {
  const find = (x: number, y: number): Hover | null => {
    const { scene } = stage;
    if (!scene) return null;
    return findHover(scene, { x, y, format: timeFormat(), incident: incidentOf(useFocus.getState().incident) });
  };
  let pointed: { readonly x: number; readonly y: number } | null = null;
  const onHover = (x: number, y: number) => {
    pointed = { x, y };
    const hover = find(x, y);
    setHover(hover);
    stage.setHovered(hover?.ring || hover?.ghostX != null ? hover : null);
    element.classList.toggle('pointing', hover?.ref !== null && hover !== null);
  };
  const onLeave = () => {
    pointed = null;
    setHover(null);
    stage.setHovered(null);
  };
  const undoMoved = useFocus.subscribe((now, before) => {
    if (now.window === before.window) return;
    // While the window follows live data, the hover follows what passes under the mouse; a gesture clears it.
    if (now.following && pointed) onHover(pointed.x, pointed.y);
    else onLeave();
  });
  const undoGestures = listenGestures({
    element,
    scroller,
    scene: () => stage.scene,
    onHover,
    onLeave,
    onClick: (x, y) => clickAt(stage, find(x, y), x, y),
    onMenu: (x, y, { button, ctrlKey, clientX, clientY }) => {
      // The menu key has no position, so it applies to the selection.
      const isPointed = button === 2 || ctrlKey;
      const target = isPointed ? targetAt(stage, find(x, y), y) : selectedTarget();
      if (target) openActionMenu(target, { x: clientX, y: clientY }, element);
      return target !== null;
    },
    onDoubleClick: (x, y) => {
      const { scene } = stage;
      if (scene) zoomTo(nanos(find(x, y)?.timeNs ?? timeAt(scene.scale, x)), spanOf(useFocus.getState().window) / 4);
    },
  });
  return () => {
    undoMoved();
    undoGestures();
  };
}

/** Actions of the mark under the mouse, or else of the lane's entity. */
function targetAt(stage: Stage, hover: Hover | null, y: number): ActionTarget | null {
  if (hover?.ref) return recordTarget(hover.lines[0] ?? hover.ref, [hover.ref]);
  const row = stage.scene && rowAt(stage.scene.layout, y + stage.scene.scrollTop);
  if (row?.kind === 'group') return entityTarget(row.entityKeys.at(-1)!);
  if (row?.kind !== 'lane') return selectedTarget();
  return entityTarget(`${row.lane.entity_kind}:${row.lane.entity_id}`);
}

/** A click on a mark selects its record; elsewhere it moves the playhead and selects the lane's entity. */
function clickAt(stage: Stage, hover: Hover | null, x: number, y: number): void {
  const { scene } = stage;
  if (!scene) return;
  if (hover?.ref) {
    select(hover.ref, hover.timeNs === null ? null : nanos(hover.timeNs));
    showDetails();
    return;
  }
  setPlayhead(timeAt(scene.scale, x));
  const row = rowAt(scene.layout, y + scene.scrollTop);
  const counted = row?.kind === 'lane' && isCounted(scene.entry(row.lane.id)) ? rowsTableOf(row.lane) : null;
  if (row?.kind === 'lane' && counted) return showRows(counted, entityKeyOf(row.lane));
  if (row?.kind !== 'lane' && useFocus.getState().entities.length > 0) selectEntity(null);
}

/** Whether a lane shows counts instead of single marks. */
const isCounted = (entry: LaneEntry | undefined): boolean =>
  entry?.data.kind === 'logs' ||
  ((entry?.data.kind === 'bands' || entry?.data.kind === 'events') && entry.data.truncated);
