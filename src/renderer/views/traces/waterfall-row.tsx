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
import { messages } from './messages.ts';
import { targetOfRow, type Waterfall } from './use-waterfall.ts';

export interface WaterfallRowProps {
  readonly row: number;
  readonly waterfall: Waterfall;
  readonly isCurrent: boolean;
  readonly onPick: (row: number) => void;
}

/**
 * Scrolling and moving only render rows that appear or get the focus. The callbacks of a row stay valid as long as the rows do not
 * change.
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
/** Deeper levels are not indented, to leave room for the names. */
const DEEPEST = 16;

function SpanRow({ row, waterfall, isCurrent, onPick, span }: WaterfallRowProps & { readonly span: number }) {
  const { traceGroup, selected, extent } = waterfall;
  const inTrace = traceGroup.traces.length > 1 ? 1 : 0;
  const depth = traceGroup.depth[span]! + inTrace;
  const hasChildren = traceGroup.below[span]! > 0;
  const folded = hasChildren && waterfall.isFolded(row);
  const isHighlighted = isCurrent || span === selected;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys.
    <div
      id={`waterfall-row-${row}`}
      role="treeitem"
      data-testid="waterfall-span"
      aria-level={depth + 1}
      aria-selected={span === selected}
      aria-expanded={hasChildren ? !folded : undefined}
      className={`waterfall-row${span === selected ? ' selected' : ''}${isCurrent ? ' current' : ''}`}
      style={{ top: row * ROW_HEIGHT, paddingLeft: 4 + Math.min(depth, DEEPEST) * INDENT }}
      onClick={() => onPick(row)}
      onContextMenu={(event) => openAt(event, () => targetOfRow(waterfall, row))}
    >
      {isHighlighted ? (
        <span className="waterfall-hidden-text">{spanLines(traceGroup, span, extent).join('; ')}</span>
      ) : null}
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
  /** Its full text is next to it. */
  readonly isHighlighted: boolean;
  readonly twisty: ReactNode;
}

/** The visual cells of a row; screen readers get the active row as one sentence. */
function SpanCells({ traceGroup, span, depth, folded, isHighlighted, twisty }: SpanCellsProps) {
  const parent = traceGroup.parent[span]!;
  // The service is shown where it changes; its colour continues below.
  const isOwnService = parent >= 0 && traceGroup.service[parent] === traceGroup.service[span];
  return (
    <div className="waterfall-cells" aria-hidden={isHighlighted}>
      {twisty}
      {depth > DEEPEST ? <span className="muted waterfall-depth">{depth}</span> : null}
      <span className={`waterfall-service series-${(traceGroup.service[span]! % SERIES) + 1}`}>
        {isOwnService ? '' : shortened(serviceOf(traceGroup, span))}
      </span>
      {isFailed(traceGroup, span) ? (
        <span className="waterfall-failed" title={messages.row.failed}>
          ▲
        </span>
      ) : null}
      {oddMarks(traceGroup, span).map(({ mark, words }) => (
        <span key={words} className="waterfall-odd" title={words}>
          {mark}
        </span>
      ))}
      <span className="waterfall-name">{nameOf(traceGroup, span)}</span>
      {folded ? <span className="muted waterfall-count">{messages.row.folded(traceGroup.below[span]!)}</span> : null}
      <span className={hasMark(traceGroup, span, 'critical') ? 'number' : 'number muted'}>
        {(traceGroup.marks[span]! & spanMarks.critical) !== 0 ? (
          <span className="waterfall-critical" title={messages.row.critical} />
        ) : null}
        {formatDuration(lengthOf(traceGroup, span))}
      </span>
    </div>
  );
}

const LONGEST_SERVICE = 28;

/** Shortened to leave room for the span name. */
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
  const { traceGroup } = waterfall;
  const part = traceGroup.traces[head.trace];
  if (!part) return null;
  const isWait = head.kind === 'wait';
  const folded = !isWait && waterfall.isFolded(row);
  const words = isWait
    ? waitText(traceGroup, head.link)
    : messages.row.trace(part.trace_id, part.spans, formatDuration(part.end_ns - part.start_ns), part.left_out);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys.
    <div
      id={`waterfall-row-${row}`}
      role="treeitem"
      data-testid={isWait ? 'waterfall-wait' : 'waterfall-trace'}
      aria-level={1}
      aria-selected={false}
      aria-expanded={isWait ? undefined : !folded}
      className={`waterfall-row waterfall-${head.kind}${isCurrent ? ' current' : ''}`}
      style={{ top: row * ROW_HEIGHT, paddingLeft: 4 }}
      title={words}
      onClick={() => onPick(row)}
    >
      <span className="waterfall-hidden-text">{words}</span>
      <div className="waterfall-cells" aria-hidden="true">
        <Twisty has={!isWait} folded={folded} onFold={() => waterfall.fold(row, !folded)} />
        {isWait ? (
          <span>
            {messages.row.waitBefore} <strong>{serviceOf(traceGroup, traceGroup.link_to[head.link]!)}</strong>
          </span>
        ) : (
          <span>
            {messages.row.traceHead} <code>{part.trace_id.slice(-16)}</code>{' '}
            <span className="muted">{messages.row.spans(part.spans)}</span>
          </span>
        )}
        <span className="number muted">
          {formatDuration(isWait ? waitOf(traceGroup, head.link) : part.end_ns - part.start_ns)}
        </span>
      </div>
    </div>
  );
}
