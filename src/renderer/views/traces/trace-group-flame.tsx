import { type KeyboardEvent, useMemo, useState } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { SERIES } from '../../draw/canvas/tokens.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import {
  type CallNode,
  callTree,
  type FlameFrame,
  type FlameWeight,
  flameFrames,
} from '../../draw/traces/call-tree.ts';
import { percent } from '../../draw/traces/trace-group-text.ts';
import { TabList } from '../../widgets/tab-list.tsx';
import { leastShares } from './use-waterfall.ts';

const weights = [
  { id: 'time', title: 'By time' },
  { id: 'self', title: 'By self time' },
] as const;
const ROW = 20;
/** Boxes below this share of the width cannot be seen. */
const LEAST = 0.0008;

/** The calls of this story, merged by who called whom. */
export function TraceGroupFlame({
  traceGroup,
  onShow,
}: {
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}) {
  const [weight, setWeight] = useState<FlameWeight>('time');
  const [share, setShare] = useState(0);
  const [root, setRoot] = useState<CallNode | null>(null);
  const roots = useMemo(() => callTree(traceGroup), [traceGroup]);
  const { boxes: frames, hidden } = useMemo(
    () => flameFrames(root ? [root] : roots, weight, Math.max(share, LEAST)),
    [roots, root, weight, share],
  );
  const deepest = frames.reduce((most, { node }) => Math.max(most, node.depth), 0);
  const top = root?.depth ?? 0;
  return (
    <div className="story-panel">
      <div className="story-bar">
        <TabList label="Width of a box" tabs={weights} selected={weight} onSelect={setWeight} />
        <select aria-label="Hide narrow boxes" value={share} onChange={(event) => setShare(Number(event.target.value))}>
          {leastShares.map((one) => (
            <option key={one} value={one}>
              {one === 0 ? 'all boxes' : `boxes from ${one * 100} %`}
            </option>
          ))}
        </select>
        {root ? (
          <button type="button" onClick={() => setRoot(null)}>
            Show all
          </button>
        ) : null}
        <span className="muted" role="status">
          {hidden === 0
            ? ''
            : `${formatCount(hidden)} ${hidden === 1 ? 'span is in a box that is' : 'spans are in boxes that are'} hidden, or too narrow to be seen`}
        </span>
      </div>
      <div className="story-flame-scroll">
        <div
          className="story-flame-boxes"
          role="tree"
          aria-label={`Flame graph ${weight === 'time' ? 'by time' : 'by self time'}`}
          style={{ height: (deepest - top + 1) * ROW }}
        >
          {frames
            .toSorted((a, b) => a.node.depth - b.node.depth || a.left - b.left)
            .map((frame, at) => (
              <FlameFrameMark
                key={`${frame.node.depth} ${frame.left}`}
                frame={frame}
                isFirst={at === 0}
                top={top}
                series={traceGroup.services.indexOf(frame.node.service)}
                onZoom={() => setRoot(frame.node === root ? null : frame.node)}
                onShow={() => onShow(frame.node.example)}
              />
            ))}
        </div>
      </div>
      <p className="muted story-left">
        Enter or a click makes a box as wide as all; Shift with it shows the longest of its spans in the waterfall.
      </p>
    </div>
  );
}

interface FlameFrameProps {
  readonly frame: FlameFrame;
  readonly isFirst: boolean;
  readonly top: number;
  readonly series: number;
  readonly onZoom: () => void;
  readonly onShow: () => void;
}

function FlameFrameMark({ frame, isFirst, top, series, onZoom, onShow }: FlameFrameProps) {
  const { node, left, width } = frame;
  const failed = node.errors > 0 ? `, ▲ ${formatCount(node.errors)} failed` : '';
  const unawaited =
    node.reach_ns > node.time_ns ? `, ${formatDuration(node.reach_ns)} until all that it set off had ended` : '';
  const words = `${node.service} ${node.name}: ${formatDuration(node.time_ns)} in ${formatCount(node.spans)} ${node.spans === 1 ? 'span' : 'spans'}, of it ${formatDuration(node.self_ns)} itself${unawaited}, ${percent(width)} of the width${failed}`;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter') (event.shiftKey ? onShow : onZoom)();
    else if (!event.key.startsWith('Arrow')) return;
    else moveFocus(event.currentTarget, event.key);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      role="treeitem"
      aria-level={node.depth - top + 1}
      aria-selected={false}
      title={words}
      tabIndex={isFirst ? 0 : -1}
      data-depth={node.depth}
      className={`story-flame-box ellipsis series-${(Math.max(series, 0) % SERIES) + 1}${node.errors > 0 ? ' failed' : ''}`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: (node.depth - top) * ROW }}
      onClick={(event) => (event.shiftKey ? onShow() : onZoom())}
      onKeyDown={onKeyDown}
    >
      <span className="visually-hidden">{words}</span>
      <span aria-hidden="true">
        {node.errors > 0 ? '▲ ' : ''}
        {node.name} {node.service}
      </span>
    </div>
  );
}

/** To the next box of the row, or to the one above or below the middle of this one. */
function moveFocus(from: HTMLElement, key: string): void {
  const frames = [...(from.parentElement?.querySelectorAll<HTMLElement>('.story-flame-box') ?? [])];
  const depth = Number(from.dataset['depth']) + (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0);
  const row = frames.filter((box) => Number(box.dataset['depth']) === depth);
  const at = row.indexOf(from);
  const middle = from.offsetLeft + from.offsetWidth / 2;
  const holds = (box: HTMLElement): boolean => box.offsetLeft <= middle && box.offsetLeft + box.offsetWidth >= middle;
  const inside = (box: HTMLElement): boolean => box.offsetLeft >= from.offsetLeft - 1;
  const next =
    key === 'ArrowRight' ? row[at + 1] : key === 'ArrowLeft' ? row[at - 1] : (row.find(holds) ?? row.find(inside));
  next?.focus();
}
