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
import { messages } from './messages.ts';
import { leastShares } from './use-waterfall.ts';

const weights = [
  { id: 'time', title: messages.byTime },
  { id: 'self', title: messages.bySelf },
] as const;
const ROW = 20;
/** Narrower frames are invisible. */
const LEAST = 0.0008;

/** The calls of this trace group, merged by call path. */
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
    <div className="trace-detail-panel">
      <div className="trace-detail-bar">
        <TabList label={messages.groupFlame.width} tabs={weights} selected={weight} onSelect={setWeight} />
        <select
          aria-label={messages.groupFlame.hideNarrow}
          value={share}
          onChange={(event) => setShare(Number(event.target.value))}
        >
          {leastShares.map((one) => (
            <option key={one} value={one}>
              {one === 0 ? messages.groupFlame.all : messages.groupFlame.from(one * 100)}
            </option>
          ))}
        </select>
        {root ? (
          <button type="button" onClick={() => setRoot(null)}>
            {messages.groupFlame.showAll}
          </button>
        ) : null}
        <span className="muted" role="status">
          {hidden === 0 ? '' : messages.groupFlame.hidden(hidden, formatCount(hidden))}
        </span>
      </div>
      <div className="trace-flame-scroll">
        <div
          className="trace-flame-frames"
          role="tree"
          aria-label={messages.groupFlame.label(weight === 'time')}
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
      <p className="muted trace-detail-left">{messages.groupFlame.hint}</p>
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
  const failed = node.errors > 0 ? messages.groupFlame.failed(formatCount(node.errors)) : '';
  const unawaited = node.reach_ns > node.time_ns ? messages.groupFlame.unawaited(formatDuration(node.reach_ns)) : '';
  const words = messages.groupFlame.frame(
    `${node.service} ${node.name}`,
    formatDuration(node.time_ns),
    `${formatCount(node.spans)} ${node.spans === 1 ? messages.span : messages.spans}`,
    formatDuration(node.self_ns),
    `${unawaited}${messages.groupFlame.ofWidth(percent(width))}${failed}`,
  );
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
      className={`trace-flame-frame ellipsis series-${(Math.max(series, 0) % SERIES) + 1}${node.errors > 0 ? ' failed' : ''}`}
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

/** Moves the focus to the next frame of the row, or to the frame above or below the middle of this one. */
function moveFocus(from: HTMLElement, key: string): void {
  const frames = [...(from.parentElement?.querySelectorAll<HTMLElement>('.trace-flame-frame') ?? [])];
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
