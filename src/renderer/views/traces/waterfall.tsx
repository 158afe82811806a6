import { type KeyboardEvent, type MouseEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type Nanos, nanos } from '../../../model/time.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { timeAtX, xOfTime } from '../../draw/traces/trace-group-scale.ts';
import { spanLines, waitText } from '../../draw/traces/trace-group-text.ts';
import { ROW_HEIGHT } from '../../draw/traces/waterfall.ts';
import { openActionMenu } from '../../state/action-menu.ts';
import { setPlayhead } from '../../state/focus.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { actByKey } from '../../widgets/action-menu.tsx';
import { keyed } from '../../widgets/keyed.ts';
import { Splitter } from '../../widgets/splitter.tsx';
import { useTimeBrush } from '../../widgets/use-time-brush.ts';
import { messages } from './messages.ts';
import { TraceGroupResources } from './trace-group-resources.tsx';
import { selectSpan, targetOfRow, type Waterfall } from './use-waterfall.ts';
import { WaterfallRow } from './waterfall-row.tsx';
import { WaterfallStage } from './waterfall-stage.ts';

interface Refs {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly axis: RefObject<HTMLCanvasElement | null>;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly tree: RefObject<HTMLDivElement | null>;
}

/** Rows rendered beyond the visible ones. */
const OVERSCAN = 4;

/** The same number at every scroll position, so that elements can be reused. */
function rowsShown({ first, end }: { readonly first: number; readonly end: number }, all: number): number[] {
  const count = Math.min(end - first + 2 * OVERSCAN, all);
  const from = Math.max(0, Math.min(first - OVERSCAN, all - count));
  return Array.from({ length: count }, (_, at) => from + at);
}

/** The spans as a tree on the left and as bars on the right; only visible rows are rendered. */
export function WaterfallView({ waterfall }: { readonly waterfall: Waterfall }) {
  const preferred = usePreferences((state) => state.traceLabelWidth);
  const refs: Refs = {
    canvas: useRef<HTMLCanvasElement>(null),
    axis: useRef<HTMLCanvasElement>(null),
    scroller: useRef<HTMLDivElement>(null),
    tree: useRef<HTMLDivElement>(null),
  };
  const [range, setRange] = useState({ first: 0, end: 0 });
  const { stage, made } = useStage(refs, waterfall, setRange);
  const { rows, current } = waterfall;
  const gridTemplateColumns = `minmax(160px, min(${preferred}px, 60%)) minmax(0, 1fr)`;
  const template = { gridTemplateColumns };
  const shown = rowsShown(range, rows.rows.length);
  const { tree } = refs;
  const onPick = useCallback((row: number) => pick(waterfall, row, tree), [waterfall, tree]);
  return (
    <div className="waterfall">
      <div className="waterfall-head" style={template}>
        <div className="waterfall-columns muted">
          <span>{messages.waterfall.span}</span>
          <Splitter
            label={messages.waterfall.width}
            orientation="vertical"
            value={preferred}
            min={160}
            max={900}
            onChange={(width) => prefer({ traceLabelWidth: width })}
          />
        </div>
        <div className="waterfall-axis">
          <canvas ref={refs.axis} role="img" aria-label={messages.waterfall.axis} />
        </div>
      </div>
      <div className="waterfall-scroll" ref={refs.scroller} data-testid="waterfall">
        <div
          className="waterfall-space"
          style={{ ...template, height: Math.max(rows.rows.length * ROW_HEIGHT, ROW_HEIGHT) }}
        >
          <div
            className="waterfall-tree"
            ref={refs.tree}
            role="tree"
            tabIndex={0}
            aria-label={messages.waterfall.count(waterfall.traceGroup.total)}
            aria-activedescendant={shown.includes(current) ? `waterfall-row-${current}` : undefined}
            onKeyDown={(event) => onKey(event, waterfall, stage.current)}
          >
            {shown.map((row) => (
              // A row that scrolls out passes its elements to the one that scrolls in.
              <WaterfallRow
                key={row % shown.length}
                row={row}
                waterfall={waterfall}
                isCurrent={row === current}
                onPick={onPick}
              />
            ))}
          </div>
          <BarCanvas refs={refs} waterfall={waterfall} stage={stage} />
        </div>
      </div>
      <TraceGroupResources
        traceGroup={waterfall.traceGroup}
        extent={waterfall.extent}
        stage={made}
        columns={gridTemplateColumns}
      />
    </div>
  );
}

/** Connects the canvases to a stage; the row with the keyboard focus stays visible. */
function useStage(refs: Refs, waterfall: Waterfall, setRange: (range: { first: number; end: number }) => void) {
  const stage = useRef<WaterfallStage>(undefined);
  const [made, setMade] = useState<WaterfallStage | null>(null);
  const { canvas, axis, scroller } = refs;
  useEffect(() => {
    if (!canvas.current || !axis.current || !scroller.current) return undefined;
    const seen = { first: -1, end: -1 };
    const own = new WaterfallStage(
      { canvas: canvas.current, axis: axis.current, scroller: scroller.current },
      (first, end) => {
        if (seen.first === first && seen.end === end) return;
        Object.assign(seen, { first, end });
        setRange({ first, end });
      },
    );
    stage.current = own;
    setMade(own);
    return () => own.close();
  }, [canvas, axis, scroller, setRange]);
  const { traceGroup, rows, places, extent, selected, current, setTooFine } = waterfall;
  useEffect(() => {
    stage.current?.show({ traceGroup, rows, places, from_ns: extent.from_ns, selected, current, setTooFine });
  }, [traceGroup, rows, places, extent, selected, current, setTooFine]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows may move the current one.
  useEffect(() => stage.current?.reveal(current), [current, rows]);
  return { stage, made };
}

type StageRef = RefObject<WaterfallStage | undefined>;

function pick(waterfall: Waterfall, row: number, tree: Refs['tree']): void {
  const code = waterfall.rows.rows[row];
  tree.current?.focus({ preventScroll: true });
  waterfall.setCurrent(row);
  if (code !== undefined && code >= 0) selectSpan(waterfall.traceGroup, code);
}

interface Tip {
  readonly x: number;
  readonly y: number;
  readonly lines: readonly string[];
}

function BarCanvas({
  refs,
  waterfall,
  stage,
}: {
  readonly refs: Refs;
  readonly waterfall: Waterfall;
  readonly stage: StageRef;
}) {
  const [tip, setTip] = useState<Tip | null>(null);
  const place = (event: MouseEvent<HTMLCanvasElement>) => {
    const rect = event.currentTarget.getBoundingClientRect();
    const top = refs.scroller.current?.scrollTop ?? 0;
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    return { x, y, row: Math.floor((y + top) / ROW_HEIGHT) };
  };
  const onMove = (event: MouseEvent<HTMLCanvasElement>) => {
    const { x, y, row } = place(event);
    const lines = linesOf(waterfall, row);
    setTip(lines.length === 0 ? null : { x, y, lines });
  };
  const timeUnder = (event: MouseEvent<Element>): Nanos | null => {
    const { scale } = stage.current ?? {};
    const { origin_ns } = waterfall.traceGroup;
    if (!scale || origin_ns === null) return null;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return nanos(origin_ns + BigInt(Math.round(timeAtX(scale, x))));
  };
  const brushing = useTimeBrush(timeUnder);
  const onClick = (event: MouseEvent<HTMLCanvasElement>) => {
    if (brushing.ends()) return;
    pick(waterfall, place(event).row, refs.tree);
    const time = timeUnder(event);
    if (time !== null) setPlayhead(time);
  };
  const onMenu = (event: MouseEvent<HTMLCanvasElement>) => {
    const target = targetOfRow(waterfall, place(event).row);
    if (!target) return;
    event.preventDefault();
    openActionMenu(target, { x: event.clientX, y: event.clientY }, refs.tree.current);
  };
  const onDoubleClick = (event: MouseEvent<HTMLCanvasElement>) => zoomToRow(waterfall, place(event).row, stage.current);
  useWheelZoom(refs.canvas, stage);
  return (
    <div className="waterfall-bars">
      <canvas
        ref={refs.canvas}
        role="img"
        aria-label={messages.waterfall.canvas}
        data-testid="waterfall-canvas"
        onPointerDown={brushing.onPointerDown}
        onPointerUp={brushing.onPointerUp}
        onPointerMove={brushing.brush}
        onMouseMove={onMove}
        onMouseLeave={() => setTip(null)}
        onClick={onClick}
        onDoubleClick={onDoubleClick}
        onContextMenu={onMenu}
      />
      {tip ? (
        <div
          className="tooltip"
          role="tooltip"
          style={{
            left: Math.max(0, Math.min(tip.x + 14, (refs.canvas.current?.clientWidth ?? 0) - 320)),
            top: tip.y + 14,
          }}
        >
          {keyed(tip.lines).map(({ key, value }) => (
            <div key={key} className={key === '0' ? '' : 'muted'}>
              {value}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function linesOf({ traceGroup, rows, extent }: Waterfall, row: number): readonly string[] {
  const code = rows.rows[row];
  if (code === undefined) return [];
  if (code >= 0) return spanLines(traceGroup, code, extent);
  const head = rows.heads[-1 - code];
  if (head?.kind === 'wait') return [waitText(traceGroup, head.link)];
  const part = head && traceGroup.traces[head.trace];
  return part
    ? [
        messages.waterfall.trace(part.trace_id),
        messages.waterfall.traceFacts(part.spans, formatDuration(part.end_ns - part.start_ns)),
      ]
    : [];
}

/** Ctrl+wheel zooms at the mouse, Shift+wheel pans; the wheel alone scrolls. */
function useWheelZoom(canvas: RefObject<HTMLCanvasElement | null>, stage: StageRef): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.shiftKey && event.deltaX === 0) return;
      event.preventDefault();
      if (event.ctrlKey)
        stage.current?.zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX / Math.max(element.clientWidth, 1));
      else stage.current?.pan((event.deltaX || event.deltaY) / Math.max(element.clientWidth, 1));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [canvas, stage]);
}

/** Zooms the span to most of the width. */
function zoomToRow({ traceGroup, rows, places }: Waterfall, row: number, stage: WaterfallStage | undefined): void {
  const code = rows.rows[row];
  if (code === undefined || code < 0) return;
  const from = places.of(traceGroup.start_ns[code]!);
  const until = places.of(traceGroup.end_ns[code]!);
  const pad = Math.max(until - from, 1) * 0.1;
  stage?.setWindow({ from: from - pad, until: until + pad });
}

/** Arrow keys move in the tree; letters are the shortcuts of this view. */
function onKey(event: KeyboardEvent<HTMLDivElement>, waterfall: Waterfall, stage: WaterfallStage | undefined): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const done =
    walk(event.key, waterfall) ||
    (stage && view(event.key, waterfall, stage)) ||
    actByKey(event, () => targetOfRow(waterfall, waterfall.current));
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

const PAGE = 20;

function walk(key: string, waterfall: Waterfall): boolean {
  const { current, rows, traceGroup, setCurrent, fold, isFolded } = waterfall;
  const last = rows.rows.length - 1;
  const code = rows.rows[current] ?? 0;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE,
    PageUp: -PAGE,
    Home: -last,
    End: last,
  };
  const by = steps[key];
  if (by !== undefined) setCurrent(Math.min(Math.max(current + by, 0), last));
  else if (key === 'ArrowRight') {
    if (isFolded(current)) fold(current, false);
    else if (code < 0 || traceGroup.below[code]! > 0) setCurrent(Math.min(current + 1, last));
  } else if (key === 'ArrowLeft') {
    const canFold = code < 0 ? rows.heads[-1 - code]?.kind === 'trace' : traceGroup.below[code]! > 0;
    if (canFold && !isFolded(current)) fold(current, true);
    else if (code >= 0 && traceGroup.parent[code]! >= 0) waterfall.goToSpan(traceGroup.parent[code]!);
  } else if (key === 'Enter' || key === ' ') {
    if (code >= 0) selectSpan(traceGroup, code);
  } else if (key === 'n' || key === 'p') waterfall.goTo('error', key === 'n' ? 1 : -1);
  else if (key === '/') document.querySelector<HTMLInputElement>('[data-trace-search]')?.focus();
  else return false;
  return true;
}

function view(key: string, waterfall: Waterfall, stage: WaterfallStage): boolean {
  const { scale } = stage;
  const code = waterfall.rows.rows[waterfall.current] ?? -1;
  const middle = scale && code >= 0 ? xOfTime(scale, waterfall.traceGroup.start_ns[code]!) / scale.width : 0.5;
  const anchor = Math.min(Math.max(middle, 0), 1);
  if (key === 'w') stage.zoom(0.7, anchor);
  else if (key === 's') stage.zoom(1 / 0.7, anchor);
  else if (key === 'a') stage.pan(-0.2);
  else if (key === 'd') stage.pan(0.2);
  else if (key === 'f') stage.fit();
  else if (key === 'g') zoomToRow(waterfall, waterfall.current, stage);
  else return false;
  return true;
}
