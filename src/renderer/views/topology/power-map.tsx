import { type CSSProperties, type KeyboardEvent, type RefObject, useEffect, useMemo, useState } from 'react';
import { MOST_ENTITIES, type Topology } from '../../../model/contract/index.ts';
import type { Annotation } from '../../../model/incident/annotation.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { entityTarget } from '../../state/actions.ts';
import { noteMarkers } from '../../state/annotations.ts';
import { showDetails } from '../../state/case-state.ts';
import { showDifferencesOf } from '../../state/difference-request.ts';
import { selectEntity, toggleEntity, useFocus } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { Drawn, type Places, Regions, Removed } from './annotation-marks.tsx';
import { LinkMark } from './link-mark.tsx';
import { linksOnChain, type MapItem } from './map-model.ts';
import { messages } from './messages.ts';
import { nearestNode } from './nearest-node.ts';
import { ageText, leastTextAt, MOST_TEXT, NodeMark, type NodeMarkFlags, stateText } from './node-mark.tsx';
import { quiet, worse } from './playhead-state.ts';
import { HEADING, NODE_HEIGHT, NODE_WIDTH, type NodeRect } from './power-layout.ts';
import { Proposed } from './proposals.tsx';
import type { CameraControl } from './use-camera.ts';
import { type PowerMap, useInstant } from './use-map.ts';
import type { Readings } from './use-readings.ts';
import type { States } from './use-states.ts';

export interface PowerMapProps {
  readonly topology: Topology;
  readonly map: PowerMap;
  readonly states: States;
  readonly readings: Readings;
  readonly svg: RefObject<SVGSVGElement | null>;
  readonly control: CameraControl;
  readonly onUnfold: (item: MapItem) => void;
}

export function PowerMapView({ topology, map, states, readings, svg, control, onUnfold }: PowerMapProps) {
  const { model, layout } = map;
  const annotations = useAnnotationList();
  const nodeRects = useMemo(() => [...layout.nodeRects.values()], [layout]);
  const places: Places = useMemo(
    () => ({ nodeRectOf: (entityKey) => layout.nodeRects.get(model.nodeByEntity.get(entityKey) ?? '') }),
    [layout, model],
  );
  const { camera } = control;
  const leastText = leastTextAt(camera.scale);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> cannot contain SVG nodes.
    <svg
      ref={svg}
      className="power-map"
      role="group"
      aria-label={messages.map.label}
      data-testid="power-map"
      onKeyDown={(event) => moveFocus(event, nodeRects, control)}
    >
      <Markers />
      <g
        className={leastText > MOST_TEXT ? 'far' : undefined}
        style={{ '--least-text': `${leastText}px` } as CSSProperties}
        transform={`scale(${camera.scale}) translate(${-camera.x} ${-camera.y})`}
        data-map=""
      >
        <Regions annotations={annotations} />
        {layout.headings.map(({ x, text }) => (
          <text key={x} className="map-heading" x={x} y={HEADING}>
            {text}
          </text>
        ))}
        <Links map={map} places={places} />
        <Proposed topology={topology} places={places} />
        <Removed removed={topology.removed} nodes={topology.nodes} places={places} />
        <NodeMarks
          topology={topology}
          map={map}
          nodeRects={nodeRects}
          states={states}
          readings={readings}
          onUnfold={onUnfold}
          leastText={leastText}
        />
        <Drawn annotations={annotations} places={places} />
      </g>
    </svg>
  );
}

function Markers() {
  return (
    <defs>
      <marker id="map-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="5" markerHeight="5" orient="auto">
        <path className="arrow-head" d="M0 0 8 4 0 8Z" />
      </marker>
      <marker id="map-drawn-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="5" markerHeight="5" orient="auto">
        <path className="drawn-head" d="M0 0 8 4 0 8Z" />
      </marker>
      <pattern id="map-blind" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line className="hatch" x1="0" y1="0" x2="0" y2="6" />
      </pattern>
    </defs>
  );
}

function Links({ map, places }: { readonly map: PowerMap; readonly places: Places }) {
  const { model, layout, links } = map;
  const selected = useFocus((focus) => focus.entities);
  const onChain = useMemo(() => linksOnChain(model, links), [model, links]);
  const near = new Set(selected.flatMap((entityKey) => places.nodeRectOf(entityKey)?.item.key ?? []));
  return (
    <>
      {model.links.map((link) => {
        const from = layout.nodeRects.get(link.from);
        const to = layout.nodeRects.get(link.to);
        if (!from || !to) return null;
        const key = `${link.from}\n${link.to}`;
        return (
          <LinkMark
            key={key}
            link={link}
            from={from}
            to={to}
            chain={onChain.has(key)}
            near={near.has(link.from) || near.has(link.to)}
          />
        );
      })}
    </>
  );
}

interface NodeMarksProps extends Pick<PowerMapProps, 'topology' | 'map' | 'states' | 'readings' | 'onUnfold'> {
  readonly nodeRects: readonly NodeRect[];
  readonly leastText: number;
}

function NodeMarks({ topology, map, nodeRects, states, readings, onUnfold, leastText }: NodeMarksProps) {
  const at = useInstant();
  const selected = useFocus((focus) => focus.entities);
  const annotations = useAnnotationList();
  const marks = useMarks(topology, map, annotations);
  const [active, setActive] = useState<string | null>(null);
  // Focus target: the last node, or the selected one, or the start of the chain.
  const entries = [active, ...[...selected, ...map.chain].map((entity) => map.model.nodeByEntity.get(entity))];
  const first = entries.find((key) => nodeRects.some(({ item }) => item.key === key)) ?? nodeRects[0]?.item.key;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes are the buttons; this element handles their events.
    <g
      onFocus={(event) => setActive(nodeAt(event.target))}
      onClick={(event) => {
        const item = nodeRects.find((nodeRect) => nodeRect.item.key === nodeAt(event.target))?.item;
        if (item) selectItem(item, event.shiftKey || event.ctrlKey || event.metaKey, onUnfold);
      }}
      onContextMenu={(event) => {
        const item = nodeRects.find((node) => node.item.key === nodeAt(event.target))?.item;
        if (item) openAt(event, () => targetOf(item));
      }}
      onKeyDown={(event) => {
        const item = nodeRects.find((node) => node.item.key === nodeAt(event.target))?.item;
        if (!item) return;
        if (event.key !== 'Enter' && event.key !== ' ') {
          if (!actByKey(event, () => targetOf(item))) return;
          event.preventDefault();
          return event.stopPropagation();
        }
        event.preventDefault();
        event.stopPropagation();
        selectItem(item, event.shiftKey, onUnfold);
      }}
    >
      {nodeRects.map(({ item, x, y }) => {
        const each = item.members.map((member) => states.of(member, at));
        const worst = each.reduce(worse, quiet);
        return (
          <NodeMark
            key={item.key}
            item={item}
            x={x}
            y={y}
            severity={worst.severity}
            text={stateText(item, each, worst)}
            age={ageText(item, worst)}
            reading={item.entityKey === null ? '' : readings.of(item.entityKey, at)}
            marks={marks.get(item.key) ?? unmarked}
            selected={item.members.some(({ key }) => selected.includes(key))}
            active={item.key === first}
            leastText={leastText}
          />
        );
      })}
    </g>
  );
}

const nodeAt = (target: EventTarget | null): string | null =>
  target instanceof Element ? (target.closest('[data-node]')?.getAttribute('data-node') ?? null) : null;

/** Actions of a node. Differences use the whole selection if the node is part of it. */
function targetOf({ entityKey, label, members }: MapItem): ActionTarget {
  const { entities } = useFocus.getState();
  const entityKeys = entityKey !== null && entities.includes(entityKey) ? entities : members.map(({ key }) => key);
  const differs: Action = {
    id: 'differs',
    title: messages.map.differences(entityKeys.length),
    keys: 'U',
    disabled: entityKeys.length > MOST_ENTITIES,
    run: () => showDifferencesOf(entityKeys),
  };
  return entityKey === null ? { label, actions: [differs] } : entityTarget(entityKey, [differs]);
}

/** Selects an entity, or unfolds a stack. */
function selectItem(item: MapItem, more: boolean, onUnfold: (item: MapItem) => void): void {
  if (item.entityKey === null) return onUnfold(item);
  if (more) return toggleEntity(item.entityKey);
  const { entities } = useFocus.getState();
  const only = entities.length === 1 && entities[0] === item.entityKey;
  selectEntity(only ? null : item.entityKey);
  if (!only) showDetails();
}

const unmarked: NodeMarkFlags = { step: '', stamp: null, notes: '', doubt: null };

function useMarks(
  topology: Topology,
  { model, chain, happened }: PowerMap,
  annotations: readonly Annotation[],
): ReadonlyMap<string, NodeMarkFlags> {
  return useMemo(() => {
    const marks = new Map<string, NodeMarkFlags>();
    const mark = (entityKey: string, change: (before: NodeMarkFlags) => Partial<NodeMarkFlags>) => {
      const node = model.nodeByEntity.get(entityKey);
      if (node === undefined) return;
      const before = marks.get(node) ?? unmarked;
      marks.set(node, { ...before, ...change(before) });
    };
    // A number appears when its step happens.
    for (const [at, entityKey] of chain.entries())
      if (happened[at]) mark(entityKey, ({ step }) => ({ step: [step, at + 1].filter(Boolean).join() }));
    for (const { entity, text } of topology.doubts) mark(entity, () => ({ doubt: text }));
    const letters = noteMarkers(annotations);
    for (const one of annotations) {
      if (one.kind === 'stamp') mark(one.target, () => ({ stamp: one.stamp }));
      if (one.kind === 'note' && one.target?.startsWith('entity:'))
        mark(one.target.slice('entity:'.length), ({ notes }) => ({ notes: notes + (letters.get(one.id) ?? '') }));
    }
    return marks;
  }, [topology, model, chain, happened, annotations]);
}

/** Arrow keys move to the nearest node in that direction; elsewhere they move the playhead. */
function moveFocus(event: KeyboardEvent, nodeRects: readonly NodeRect[], control: CameraControl): void {
  const here = nodeRects.find(({ item }) => item.key === nodeAt(event.target));
  if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
  const next = nearestNode(nodeRects, here, event.key);
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  control.reveal(next.x, next.y, NODE_WIDTH, NODE_HEIGHT);
  const target = [...event.currentTarget.querySelectorAll<SVGGElement>('[data-node]')].find(
    (element) => element.dataset.node === next.item.key,
  );
  target?.focus();
}

/** Scrolls a new selection into view. */
export function useRevealed(map: PowerMap, control: CameraControl): void {
  const selected = useFocus((focus) => focus.entities[0]);
  const node =
    selected === undefined ? undefined : map.layout.nodeRects.get(map.model.nodeByEntity.get(selected) ?? '');
  const reveal = control.reveal;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection moves the map.
  useEffect(() => {
    if (node) reveal(node.x, node.y, NODE_WIDTH, NODE_HEIGHT);
  }, [selected]);
}
