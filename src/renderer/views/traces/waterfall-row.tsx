import { type MouseEvent, memo, type ReactNode } from 'react';
import { spanMarks, type TraceGroup } from '../../../model/contract/index.ts';
import { SERIES } from '../../draw/canvas/tokens.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import {
  hasMark,
  isFailed,
  lengthOf,
  nameOf,
  oddMarks,
  serviceOf,
  spanLines,
  waitOf,
  waitText,
} from '../../draw/traces/trace-group-text.ts';
import { ROW_HEIGHT } from '../../draw/traces/waterfall.ts';
import type { HeadRow } from '../../draw/traces/waterfall-rows.ts';
import { openAt } from '../../widgets/action-menu.tsx';
import { targetOfRow, type Waterfall } from './use-waterfall.ts';

export interface WaterfallRowProps {
  readonly row: number;
  readonly waterfall: Waterfall;
  readonly isCurrent: boolean;
  readonly onPick: (row: number) => void;
}

/**
 * Scrolling and walking leave rows as they are but for those that come in, or that the keyboard comes to. What a row was
 * given to fold and pick with stays right as long as the rows are the same.
 */
export const WaterfallRow = memo(
  RowOf,
  (before, now) =>
    before.row === now.row &&
    before.isCurrent === now.isCurrent &&
    before.waterfall.rows === now.waterfall.rows &&
    before.waterfall.selected === now.waterfall.selected,
);

function RowOf(props: WaterfallRowProps) {
  const { rows } = props.waterfall;
  const code = rows.rows[props.row];
  if (code === undefined) return null;
  return code >= 0 ? <SpanRow {...props} span={code} /> : <HeadRowOf {...props} head={rows.heads[-1 - code]!} />;
}

const INDENT = 12;
/** Deeper than this the names would have no room. */
const DEEPEST = 16;

function SpanRow({ row, waterfall, isCurrent, onPick, span }: WaterfallRowProps & { readonly span: number }) {
  const { traceGroup, selected, extent } = waterfall;
  const inTrace = traceGroup.traces.length > 1 ? 1 : 0;
  const depth = traceGroup.depth[span]! + inTrace;
  const hasChildren = traceGroup.descendants[span]! > 0;
  const folded = hasChildren && waterfall.isFolded(row);
  const isHighlighted = isCurrent || span === selected;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and says which row is the active one.
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the tree's.
    <div
      id={`story-row-${row}`}
      role="treeitem"
      data-testid="story-span"
      aria-level={depth + 1}
      aria-selected={span === selected}
      aria-expanded={hasChildren ? !folded : undefined}
      className={`waterfall-row${span === selected ? ' selected' : ''}${isCurrent ? ' current' : ''}`}
      style={{ top: row * ROW_HEIGHT, paddingLeft: 4 + Math.min(depth, DEEPEST) * INDENT }}
      onClick={() => onPick(row)}
      onContextMenu={(event) => openAt(event, () => targetOfRow(waterfall, row))}
    >
      {isHighlighted ? <span className="waterfall-said">{spanLines(traceGroup, span, extent).join('; ')}</span> : null}
      <SpanCells
        traceGroup={traceGroup}
        span={span}
        depth={depth}
        folded={folded}
        isHighlighted={isHighlighted}
        twisty={<Twisty has={hasChildren} folded={folded} onFold={() => waterfall.fold(row, !folded)} />}
      />
    </div>
  );
}

interface SpanCellsProps {
  readonly traceGroup: TraceGroup;
  readonly span: number;
  readonly depth: number;
  readonly folded: boolean;
  /** Said whole beside it. */
  readonly isHighlighted: boolean;
  readonly twisty: ReactNode;
}

/** What eyes get of a row; of the one that is at hand screen readers have it in one sentence. */
function SpanCells({ traceGroup, span, depth, folded, isHighlighted, twisty }: SpanCellsProps) {
  const parent = traceGroup.parent[span]!;
  // The service is told where it changes: below, its colour goes on.
  const isOwnService = parent >= 0 && traceGroup.service[parent] === traceGroup.service[span];
  return (
    <div className="waterfall-cells" aria-hidden={isHighlighted}>
      {twisty}
      {depth > DEEPEST ? <span className="muted story-depth">{depth}</span> : null}
      <span className={`story-service series-${(traceGroup.service[span]! % SERIES) + 1}`}>
        {isOwnService ? '' : shortened(serviceOf(traceGroup, span))}
      </span>
      {isFailed(traceGroup, span) ? (
        <span className="story-failed" title="failed">
          ▲
        </span>
      ) : null}
      {oddMarks(traceGroup, span).map(({ mark, words }) => (
        <span key={words} className="story-odd" title={words}>
          {mark}
        </span>
      ))}
      <span className="story-name">{nameOf(traceGroup, span)}</span>
      {folded ? <span className="muted story-count">{traceGroup.descendants[span]} in it</span> : null}
      <span className={hasMark(traceGroup, span, 'critical') ? 'number' : 'number muted'}>
        {(traceGroup.marks[span]! & spanMarks.critical) !== 0 ? (
          <span className="story-critical" title="on the critical path" />
        ) : null}
        {formatDuration(lengthOf(traceGroup, span))}
      </span>
    </div>
  );
}

const LONGEST_SERVICE = 28;

/** The name of the span must have room beside it. */
const shortened = (service: string): string =>
  service.length > LONGEST_SERVICE ? `${service.slice(0, LONGEST_SERVICE - 1)}…` : service;

function Twisty({
  has,
  folded,
  onFold,
}: {
  readonly has: boolean;
  readonly folded: boolean;
  readonly onFold: () => void;
}) {
  const fold = (event: MouseEvent) => {
    event.stopPropagation();
    onFold();
  };
  return (
    <span className="twisty muted" aria-hidden="true" onClick={has ? fold : undefined}>
      {has ? (folded ? '▸' : '▾') : ''}
    </span>
  );
}

function HeadRowOf({ row, waterfall, isCurrent, onPick, head }: WaterfallRowProps & { readonly head: HeadRow }) {
  const { traceGroup: story } = waterfall;
  const part = story.traces[head.trace];
  if (!part) return null;
  const isWait = head.kind === 'wait';
  const folded = !isWait && waterfall.isFolded(row);
  const words = isWait
    ? waitText(story, head.link)
    : `trace ${part.trace_id}, ${part.spans} spans, ${formatDuration(part.end_ns - part.start_ns)}${part.left_out > 0 ? `, ${part.left_out} more left out` : ''}`;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and says which row is the active one.
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the tree's.
    <div
      id={`story-row-${row}`}
      role="treeitem"
      data-testid={isWait ? 'story-wait' : 'story-trace'}
      aria-level={1}
      aria-selected={false}
      aria-expanded={isWait ? undefined : !folded}
      className={`waterfall-row waterfall-${head.kind}${isCurrent ? ' current' : ''}`}
      style={{ top: row * ROW_HEIGHT, paddingLeft: 4 }}
      title={words}
      onClick={() => onPick(row)}
    >
      <span className="waterfall-said">{words}</span>
      <div className="waterfall-cells" aria-hidden="true">
        <Twisty has={!isWait} folded={folded} onFold={() => waterfall.fold(row, !folded)} />
        {isWait ? (
          <span>
            wait before <strong>{serviceOf(story, story.link_to[head.link]!)}</strong>
          </span>
        ) : (
          <span>
            Trace <code>{part.trace_id.slice(-16)}</code> <span className="muted">{part.spans} spans</span>
          </span>
        )}
        <span className="number muted">
          {formatDuration(isWait ? waitOf(story, head.link) : part.end_ns - part.start_ns)}
        </span>
      </div>
    </div>
  );
}
