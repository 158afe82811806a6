import type { TopologyEdge, TopologyNode } from '../../../model/contract/index.ts';
import type { Annotation, AnnotationOf } from '../../../model/incident/annotation.ts';
import { linkPath } from './link-mark.tsx';
import { messages } from './messages.ts';
import { NODE_HEIGHT, NODE_WIDTH, type NodeRect } from './power-layout.ts';

export interface Places {
  /** Rectangle of an entity, if it is on the map. */
  nodeRectOf(entityKey: string): NodeRect | undefined;
}

/** Regions are below everything else. */
export function Regions({ annotations }: { readonly annotations: readonly Annotation[] }) {
  return annotations
    .filter((one): one is AnnotationOf<'region'> => one.kind === 'region' && one.map === 'power')
    .map(({ id, x, y, width, height, text }) => (
      <g key={id} className="region">
        <rect x={x} y={y} width={width} height={height} rx={6} />
        <text x={x + 8} y={y + 16}>
          {text}
        </text>
      </g>
    ));
}

/** Arrows and groups of the investigator, above the nodes so that their text is readable. */
export function Drawn({
  annotations,
  places,
}: {
  readonly annotations: readonly Annotation[];
  readonly places: Places;
}) {
  return (
    <>
      {annotations.map((one) => {
        if (one.kind === 'arrow') return <Arrow key={one.id} arrow={one} places={places} />;
        if (one.kind === 'group') return <Group key={one.id} group={one} places={places} />;
        return null;
      })}
    </>
  );
}

function Arrow({ arrow, places }: { readonly arrow: AnnotationOf<'arrow'>; readonly places: Places }) {
  const from = places.nodeRectOf(arrow.from);
  const to = places.nodeRectOf(arrow.to);
  if (!from || !to || from === to) return null;
  const middle = { x: (from.x + to.x + NODE_WIDTH) / 2, y: (from.y + to.y + NODE_HEIGHT) / 2 };
  return (
    <g className="drawn-arrow">
      <path d={linkPath(from, to)} markerEnd="url(#map-drawn-arrow)" />
      <text x={middle.x} y={middle.y - 6}>
        {arrow.text}
      </text>
    </g>
  );
}

const HALO = 5;

/** Every member has its own outline: a common outline could include other nodes. */
function Group({ group, places }: { readonly group: AnnotationOf<'group'>; readonly places: Places }) {
  const nodeRects = [...new Set(group.members.flatMap((member) => places.nodeRectOf(member) ?? []))];
  const [top] = nodeRects.toSorted((a, b) => a.y - b.y);
  return (
    <g className="drawn-group">
      {nodeRects.map(({ item, x, y }) => (
        <rect
          key={item.key}
          x={x - HALO}
          y={y - HALO}
          width={NODE_WIDTH + 2 * HALO}
          height={NODE_HEIGHT + 2 * HALO}
          rx={8}
        />
      ))}
      {top ? (
        <text x={top.x} y={top.y - HALO - 4}>
          {group.text}
        </text>
      ) : null}
    </g>
  );
}

export interface RemovedProps {
  readonly removed: readonly TopologyEdge[];
  readonly nodes: readonly TopologyNode[];
  readonly places: Places;
}

/** Removed recorded links stay visible, struck through, so that the edit is visible. */
export function Removed({ removed, nodes, places }: RemovedProps) {
  return (
    <>
      {removed.map((edge) => {
        const from = places.nodeRectOf(nodes[edge.from]?.key ?? '');
        const to = places.nodeRectOf(nodes[edge.to]?.key ?? '');
        if (!from || !to || from === to) return null;
        const [x, y] = [(from.x + to.x + NODE_WIDTH) / 2, (from.y + to.y + NODE_HEIGHT) / 2];
        return (
          <g key={`${edge.edit} ${from.item.key} ${to.item.key}`} className="removed-link">
            <title>{messages.link.removed(from.item.label, edge.kind, to.item.label)}</title>
            <path d={linkPath(from, to)} />
            <path className="cross" d={`M${x - 5} ${y - 5}l10 10m0 -10l-10 10`} />
          </g>
        );
      })}
    </>
  );
}
