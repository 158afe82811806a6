import { type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from 'react';
import type { Flame } from '../../../model/contract/index.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { changeOf, changeText, flameNodeText, fullName, lengthOf } from '../../draw/traces/flame-text.ts';
import {
  type FlameFrame,
  type FlameNode,
  type FlameOrder,
  type FlameRest,
  flameLabel,
  layoutFlame,
} from '../../draw/traces/flame-tree.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { flameTarget, showTracesOf } from './flame-actions.ts';
import { messages } from './messages.ts';

/** Share of the graph's width, about a pixel. */
const NARROWEST = 0.0012;
/** Narrower frames have no text. */
const WORDY = 0.02;
const ROW_PX = 19;

const hiddenText = (count: number): string => messages.flame.hidden(count, formatCount(count));

interface FlameGraphProps {
  readonly window: Flame['window'];
  readonly roots: readonly FlameNode[];
  readonly order: FlameOrder;
  readonly share: number;
  readonly all: number;
  readonly isCompared: boolean;
}

/** Frames as a tree: arrow keys move, Enter shows the traces, Z zooms, U opens Differences. */
export function FlameGraph({ window, roots, order, share, all, isCompared }: FlameGraphProps) {
  const [zoomed, setZoomed] = useState<FlameNode | null>(null);
  const [selectedNode, setSelectedNode] = useState<FlameNode | null>(null);
  const [hovered, setHovered] = useState<FlameNode | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const inside = zoomed && isWithin(zoomed, roots) ? zoomed : null;
  const { frames, rests, rows, hidden } = useMemo(
    () => layoutFlame(roots, { zoomed: inside, share, all, narrowest: NARROWEST }),
    [roots, inside, share, all],
  );
  const colors = useMemo(() => colorsOf(frames), [frames]);
  const current = frames.find(({ node }) => node.key === selectedNode?.key) ?? frames[0];
  const shownNode = hovered ?? current?.node;
  const targetOf = (node: FlameNode) =>
    flameTarget(node, { window, order, all, isCompared }, [
      { id: 'zoom', title: messages.flame.zoom, keys: 'Z', run: () => setZoomed(node) },
      { id: 'out', title: messages.flame.zoomOut, keys: 'A', disabled: inside === null, run: () => setZoomed(null) },
    ]);
  const focus = (frame: FlameFrame | undefined) => {
    if (!frame) return;
    setSelectedNode(frame.node);
    tree.current?.querySelector<HTMLElement>(`[data-frame="${frames.indexOf(frame)}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent<HTMLElement>, box: FlameFrame) => {
    const next = neighbour(frames, box, event.key);
    if (next) focus(next);
    else if (event.key === 'Enter') showTracesOf(box.node, order);
    else if (!event.key.startsWith('Arrow') && !actByKey(event, () => targetOf(box.node))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flame">
      <div className="flame-status" role="status" data-testid="flame-status">
        {inside ? (
          <button type="button" className="plain" onClick={() => setZoomed(null)}>
            {messages.flame.all}
          </button>
        ) : null}
        {shownNode ? (
          <span className="ellipsis">
            <strong>{fullName(shownNode)}</strong> {flameNodeText(shownNode, all, isCompared)}
          </span>
        ) : (
          <span className="muted">{messages.flame.allHidden}</span>
        )}
        {hidden > 0 ? <span className="muted flame-hidden">{hiddenText(hidden)}</span> : null}
      </div>
      <div className="flame-scroll">
        <div
          className="flame-tree"
          role="tree"
          aria-label={order === 'time' ? messages.flame.byTimeLabel : messages.flame.bySelfLabel}
          ref={tree}
          style={{ height: rows * ROW_PX }}
          onPointerLeave={() => setHovered(null)}
        >
          {rests.map((rest) => (
            <Rest key={`${rest.row} ${rest.key}`} rest={rest} />
          ))}
          {frames.map((box, at) => (
            <Frame
              key={box.node.key}
              {...{ frame: box, at, all, isCompared }}
              color={colors.get(box.node.service ?? '')}
              isCurrent={box === current}
              onFocus={() => focus(box)}
              onZoom={() => setZoomed(box.node)}
              onHover={() => setHovered(box.node)}
              onMenu={(event) => openAt(event, () => targetOf(box.node))}
              onKey={(event) => onKey(event, box)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Visual only: the number of hidden frames is above as text. */
function Rest({ rest: { count, time, row, left, width } }: { readonly rest: FlameRest }) {
  const words = messages.flame.smaller(formatCount(count));
  return (
    <div
      role="none"
      className="flame-rest muted"
      title={messages.flame.inAll(words, lengthOf(time))}
      style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: row * ROW_PX, height: ROW_PX - 1 }}
    >
      {width > WORDY * 2 ? <span aria-hidden="true">{words}</span> : null}
    </div>
  );
}

interface FrameProps {
  readonly frame: FlameFrame;
  readonly at: number;
  readonly all: number;
  readonly isCompared: boolean;
  readonly color: number | undefined;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
  readonly onZoom: () => void;
  readonly onHover: () => void;
  readonly onMenu: (event: MouseEvent<HTMLElement>) => void;
  readonly onKey: (event: KeyboardEvent<HTMLElement>) => void;
}

function Frame({ frame: { node, row, left, width }, at, all, isCompared, color, isCurrent, ...on }: FrameProps) {
  const words = isCompared ? `${flameLabel(node)} ${changeText(node)}` : flameLabel(node);
  return (
    <div
      role="treeitem"
      data-frame={at}
      data-testid="flame-frame"
      aria-level={row + 1}
      aria-selected={isCurrent}
      aria-label={`${words}: ${fullName(node)}, ${flameNodeText(node, all, isCompared)}`}
      tabIndex={isCurrent ? 0 : -1}
      className={classOf(node, isCompared, color)}
      style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: row * ROW_PX, height: ROW_PX - 1 }}
      onClick={on.onFocus}
      onDoubleClick={on.onZoom}
      onPointerEnter={on.onHover}
      onContextMenu={on.onMenu}
      onKeyDown={on.onKey}
    >
      {width > WORDY ? <span className="ellipsis">{words}</span> : null}
    </div>
  );
}

function classOf(node: FlameNode, isCompared: boolean, color: number | undefined): string {
  const change = isCompared ? ` ${changeOf(node)}` : '';
  const service = isCompared || node.isOther || color === undefined ? '' : ` of-service-${color}`;
  return `flame-frame${node.isOther ? ' other' : ''}${node.errors > 0 ? ' failed' : ''}${change}${service}`;
}

/** Of eight colours, by the names of all services of the graph; the name in the frame is the other channel. */
const colorsOf = (frames: readonly FlameFrame[]): ReadonlyMap<string, number> =>
  new Map(
    [...new Set(frames.flatMap(({ node }) => node.service ?? []))]
      .toSorted()
      .map((service, at) => [service, 1 + (at % 8)] as const),
  );

/** A zoomed frame of an older graph is not part of this one. */
const isWithin = (node: FlameNode, roots: readonly FlameNode[]): boolean => {
  let top = node;
  while (top.parent) top = top.parent;
  return roots.includes(top);
};

function neighbour(frames: readonly FlameFrame[], box: FlameFrame, key: string): FlameFrame | undefined {
  switch (key) {
    case 'ArrowUp':
      return frames.find(({ node }) => node === box.node.parent);
    case 'ArrowDown':
      return frames.find(({ node }) => node.parent === box.node);
    case 'ArrowLeft':
    case 'ArrowRight': {
      const row = frames.filter((other) => other.row === box.row);
      return row[row.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
    }
    default:
      return undefined;
  }
}
