import { memo } from 'react';
import type { MapLink } from './map-model.ts';
import { messages } from './messages.ts';
import { NODE_HEIGHT, NODE_WIDTH, type NodeRect } from './power-layout.ts';

/** From the right edge of one node to the left edge of another; nodes of one column connect at the same side. */
export function linkPath(from: NodeRect, to: NodeRect): string {
  const [y1, y2] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2];
  if (from.x === to.x) {
    const x = from.x + NODE_WIDTH;
    return `M${x} ${y1}C${x + 40} ${y1} ${x + 40} ${y2} ${x} ${y2}`;
  }
  const forward = from.x < to.x;
  const x1 = forward ? from.x + NODE_WIDTH : from.x;
  const x2 = forward ? to.x : to.x + NODE_WIDTH;
  const bend = (forward ? 1 : -1) * Math.max(28, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

export interface LinkProps {
  readonly link: MapLink;
  readonly from: NodeRect;
  readonly to: NodeRect;
  /** Between two steps of the chain. */
  readonly chain: boolean;
  readonly near: boolean;
}

export const LinkMark = memo(function LinkMark({ link, from, to, chain, near }: LinkProps) {
  const kinds = new Set(link.edges.map(({ kind }) => kind));
  const added = link.edges.some(({ edit }) => edit !== null);
  const className = [
    'map-link',
    kinds.has('feeds') ? 'feeds' : kinds.has('runs_on') || kinds.has('member_of') ? 'carries' : 'contains',
    added ? 'added' : '',
    chain ? 'chain' : '',
    near ? 'near' : '',
  ].join(' ');
  return (
    <path className={className} d={linkPath(from, to)} markerEnd={chain ? 'url(#map-arrow)' : undefined}>
      <title>{titleOf(link, from, to)}</title>
    </path>
  );
});

function titleOf({ edges }: MapLink, from: NodeRect, to: NodeRect): string {
  const who = [...new Set(edges.flatMap(({ provenance }) => provenance))].join(', ');
  const kinds = [...new Set(edges.map(({ kind }) => kind.replace('_', ' ')))].join(', ');
  return messages.link.title(from.item.label, to.item.label, kinds, who);
}
