import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { severities } from '../../../model/entity.ts';
import { formatCount } from '../../draw/format-value.ts';
import { type LaneRow, type LayerRow, type MoreRow, type Row, visibleRange } from '../../draw/row-layout.ts';
import type { LaneEntry } from '../../draw/scene.ts';
import { showDetails } from '../../state/case-state.ts';
import { selectEntity, useFocus } from '../../state/focus.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { laneTarget } from './lane-target.ts';
import type { Folding } from './use-folding.ts';

export interface LabelColumnProps {
  readonly folding: Folding;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly entryOf: (lane: string) => LaneEntry | undefined;
}

const OVERSCAN_PX = 200;
const PAGE_ROWS = 12;

/** The lanes by name: the keyboard's and the screen reader's way through the timeline. */
export function LabelColumn({ folding, scroller, entryOf }: LabelColumnProps) {
  const { layout } = folding;
  const [first, end] = useVisibleRows(folding, scroller);
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const active = Math.min(Math.max(current, 0), Math.max(0, layout.rows.length - 1));
  const goTo = (index: number) => {
    const next = Math.min(Math.max(index, 0), layout.rows.length - 1);
    const row = layout.rows[next];
    if (!row) return;
    setCurrent(next);
    bringIntoView(scroller.current, row);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus()),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = targetOf(event.key, active, layout.rows.length);
    const row = layout.rows[active];
    if (to !== null) goTo(to);
    else if (row?.kind !== 'lane' || !actByKey(event, () => laneTarget(row, folding, entryOf))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown: number[] = [];
  for (let index = first; index < end; index++) shown.push(index);
  if (layout.rows.length > 0 && (active < first || active >= end)) shown.push(active);
  return (
    <ul className="label-column" aria-label="Lanes" ref={list} onKeyDown={onKeyDown}>
      {shown.map((index) => {
        const row = layout.rows[index] as Row;
        return (
          <RowLabel
            key={keyOf(row)}
            row={row}
            index={index}
            active={index === active}
            folding={folding}
            entryOf={entryOf}
            onFocus={() => setCurrent(index)}
          />
        );
      })}
    </ul>
  );
}

const keyOf = (row: Row): string => (row.kind === 'lane' ? row.lane.id : `${row.kind} ${row.layer}`);

function targetOf(key: string, at: number, length: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'PageDown':
      return at + PAGE_ROWS;
    case 'PageUp':
      return at - PAGE_ROWS;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}

function bringIntoView(scroller: HTMLElement | null, row: Row): void {
  if (!scroller) return;
  if (row.y < scroller.scrollTop) scroller.scrollTop = row.y;
  else if (row.y + row.height > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = row.y + row.height - scroller.clientHeight;
}

function useVisibleRows({ layout }: Folding, scroller: RefObject<HTMLDivElement | null>): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 60]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => {
      const [first, end] = visibleRange(
        layout,
        element.scrollTop - OVERSCAN_PX,
        element.clientHeight + 2 * OVERSCAN_PX,
      );
      setRange((before) => (before[0] === first && before[1] === end ? before : [first, end]));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [layout, scroller]);
  return [Math.min(range[0], layout.rows.length), Math.min(range[1], layout.rows.length)];
}

interface LabelProps<R extends Row> {
  readonly row: R;
  readonly index: number;
  readonly active: boolean;
  readonly folding: Folding;
  readonly entryOf: LabelColumnProps['entryOf'];
  readonly onFocus: () => void;
}

function RowLabel({ row, ...rest }: LabelProps<Row>) {
  switch (row.kind) {
    case 'layer':
      return <LayerLabel row={row} {...rest} />;
    case 'more':
      return <MoreLabel row={row} {...rest} />;
    case 'lane':
      return <LaneLabel row={row} {...rest} />;
  }
}

const placed = (row: Row) => ({ height: row.height, transform: `translateY(${row.y}px)` });

function LayerLabel({ row, index, active, folding, onFocus }: LabelProps<LayerRow>) {
  const about = row.missing
    ? 'not recorded'
    : row.involved > 0
      ? `${row.involved} of ${row.total} involved`
      : `${row.total}, none involved`;
  return (
    <li className="label-place" style={placed(row)}>
      <button
        type="button"
        data-index={index}
        data-layer={row.layer}
        className={`layer-label layer-${row.layer}${row.missing ? ' missing' : ''}`}
        aria-expanded={!row.collapsed && !row.missing}
        disabled={row.missing}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onClick={() => (row.involved === 0 ? folding.toggleMore(row.layer) : folding.toggleLayer(row.layer))}
      >
        <span aria-hidden="true" className="twist">
          {row.missing ? '' : row.collapsed ? '▸' : '▾'}
        </span>
        <span className="layer-name">{row.layer === 'gpu' ? 'GPU' : row.layer}</span>
        <span className="muted ellipsis">{about}</span>
      </button>
    </li>
  );
}

function MoreLabel({ row, index, active, folding, onFocus }: LabelProps<MoreRow>) {
  return (
    <li className="label-place" style={placed(row)}>
      <button
        type="button"
        data-index={index}
        className={`more-label layer-${row.layer}`}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onClick={() => folding.toggleMore(row.layer)}
      >
        {row.expanded ? 'show fewer' : `show ${row.hidden} more`}
      </button>
    </li>
  );
}

function LaneLabel({ row, index, active, folding, entryOf, onFocus }: LabelProps<LaneRow>) {
  const { lane } = row;
  const key = `${lane.entity_kind}:${lane.entity_id}`;
  const selected = useFocus((focus) => focus.entities.includes(key));
  const what = lane.kind === 'events' ? 'events' : shortMetric(lane.metric, lane.entity_kind);
  const worst = lane.worst_severity === null ? '' : `, worst ${severities[lane.worst_severity] ?? 'low'}`;
  const full = `${lane.entity_id} ${what}, ${lane.entity_kind}${lane.metric === '' ? '' : ` ${lane.metric}`}: ${formatCount(lane.count)} ${lane.kind === 'events' ? 'events' : 'samples'}${worst}`;
  const choose = () => {
    selectEntity(selected ? null : key);
    if (!selected) showDetails();
  };
  return (
    <li className="label-place" style={placed(row)}>
      <button
        type="button"
        data-testid="lane"
        data-lane={lane.id}
        data-index={index}
        className={`lane-label layer-${lane.layer}${selected ? ' selected' : ''}`}
        aria-pressed={selected}
        aria-label={full}
        title={`${full}\nclick selects, double-click makes it taller`}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onContextMenu={(event) => openAt(event, () => laneTarget(row, folding, entryOf))}
        onClick={choose}
        onDoubleClick={() => folding.toggleTall(lane.id)}
      >
        <span className="lane-entity ellipsis">{row.named ? lane.entity_id : ''}</span>{' '}
        <span className="lane-what ellipsis muted">{what}</span>
      </button>
    </li>
  );
}

/** `gpu.power` under a GPU says no more than `power`. */
export function shortMetric(metric: string, kind: string): string {
  for (const prefix of [`${kind}.`, 'hw.', 'service.', 'server.']) {
    if (metric.startsWith(prefix) && metric.length > prefix.length) return metric.slice(prefix.length);
  }
  return metric;
}
