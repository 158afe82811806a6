import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Lane } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import { QUERIES } from '../../../model/lane-kind.ts';
import { laneEntity } from '../../draw/tables/row-tree.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { shortUuid } from '../../draw/text/gpu-text.ts';
import { countedWhat, laneWhat } from '../../draw/timeline/lane-text.ts';
import {
  type GroupRow,
  type LaneRow,
  type LayerRow,
  type MoreRow,
  PINNED,
  type Row,
  visibleRange,
} from '../../draw/timeline/row-layout.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { entityTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, selectEntity, useFocus } from '../../state/focus.ts';
import { clockOf, nudgeClock, type SourceClock, saveClock, settableSource } from '../../state/source-clocks.ts';
import { spanOf } from '../../state/time-window.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { clockStep, useSourceClocks } from './lane-clocks.ts';
import { laneTarget } from './lane-target.ts';
import { messages } from './messages.ts';
import { isQueryRef, queryOf } from './query-lane.ts';
import type { Folding } from './use-folding.ts';

export interface LabelColumnProps {
  readonly folding: Folding;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly entryOf: (lane: string) => LaneEntry | undefined;
}

const OVERSCAN_PX = 200;
const PAGE_ROWS = 12;

/** The list of lane names: the way through the timeline for keyboard and screen readers. */
export function LabelColumn({ folding, scroller, entryOf }: LabelColumnProps) {
  const { layout } = folding;
  const clocks = useSourceClocks();
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
    if (event.ctrlKey || event.metaKey) return;
    const to = event.altKey ? null : targetOf(event.key, active, layout.rows.length);
    const row = layout.rows[active];
    if (setsClock(event, row)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.altKey) return;
    if (to !== null) goTo(to);
    else if (!row || !(foldByKey(event.key, row, folding) || actByKey(event, () => rowTarget(row, folding, entryOf))))
      return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown: number[] = [];
  for (let index = first; index < end; index++) shown.push(index);
  if (layout.rows.length > 0 && (active < first || active >= end)) shown.push(active);
  return (
    <ul className="label-column" aria-label={messages.lanes.label} ref={list} onKeyDown={onKeyDown}>
      {shown.map((index) => {
        const row = layout.rows[index]!;
        return (
          <RowLabel
            key={keyOf(row)}
            row={row}
            index={index}
            active={index === active}
            folding={folding}
            entryOf={entryOf}
            clocks={clocks}
            onFocus={() => setCurrent(index)}
          />
        );
      })}
    </ul>
  );
}

function keyOf(row: Row): string {
  if (row.kind === 'lane') return row.lane.id;
  return row.kind === 'group' ? `group ${row.layer} ${row.path}` : `${row.kind} ${row.layer}`;
}

/** Alt and arrow keys shift the clock of a lane, Enter saves. Returns whether the key was used. */
function setsClock({ key, altKey, shiftKey }: KeyboardEvent, row: Row | undefined): boolean {
  if (key === 'Enter' && !altKey) return saveClock();
  if (!altKey || row?.kind !== 'lane' || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return false;
  const source = settableSource(row.lane);
  if (source === null) return true;
  const { window: shown } = useFocus.getState();
  const canvas = document.querySelector('.lane-canvas');
  const step = clockStep(spanOf(shown) / Math.max(1, canvas?.clientWidth ?? 1)) * (shiftKey ? 10n : 1n);
  nudgeClock(source, key === 'ArrowLeft' ? -step : step);
  return true;
}

/** Right unfolds, left folds, as in any tree. Returns whether the key was used. */
function foldByKey(key: string, row: Row, folding: Folding): boolean {
  if (row.kind !== 'layer' && row.kind !== 'group') return false;
  if (key !== (row.collapsed ? 'ArrowRight' : 'ArrowLeft')) return false;
  toggleRow(row, folding);
  return true;
}

function toggleRow(row: LayerRow | GroupRow, folding: Folding): void {
  if (row.kind === 'group') folding.toggleGroup(row);
  else if (row.missing) return;
  else if (row.hidesQuiet && row.involved === 0) folding.toggleMore(row.layer);
  else folding.toggleLayer(row.layer);
}

function rowTarget(row: Row, folding: Folding, entryOf: LabelColumnProps['entryOf']): ActionTarget | null {
  if (row.kind === 'group') return entityTarget(row.entityKeys.at(-1)!);
  return row.kind === 'lane' ? laneTarget(row, folding, entryOf) : null;
}

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

/** Scrolls the lanes until a row is in view. */
export function bringIntoView(scroller: HTMLElement | null, row: Pick<Row, 'y' | 'height'>): void {
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
  readonly clocks: ReadonlyMap<number, SourceClock>;
  readonly onFocus: () => void;
}

function RowLabel({ row, ...rest }: LabelProps<Row>) {
  switch (row.kind) {
    case 'layer':
      return <LayerLabel row={row} {...rest} />;
    case 'group':
      return <GroupLabel row={row} {...rest} />;
    case 'more':
      return <MoreLabel row={row} {...rest} />;
    case 'lane':
      return <LaneLabel row={row} {...rest} />;
  }
}

const placed = (row: Row) => ({ height: row.height, transform: `translateY(${row.y}px)` });

function LayerLabel({ row, index, active, folding, onFocus }: LabelProps<LayerRow>) {
  const isOwn = row.layer === PINNED || row.layer === QUERIES;
  const about = row.missing ? messages.lanes.notRecorded : isOwn ? String(row.total) : countText(row);
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
        onClick={() => toggleRow(row, folding)}
      >
        <span aria-hidden="true" className="twist">
          {row.missing ? '' : row.collapsed ? '▸' : '▾'}
        </span>
        <span className="layer-name">{row.layer === 'gpu' ? messages.lanes.gpu : row.layer}</span>
        <span className="muted ellipsis">{about}</span>
      </button>
    </li>
  );
}

const clockOffsetText = ({ offsetNs, uncertaintyNs }: SourceClock): string =>
  clockText({ clock_offset_ns: offsetNs, clock_uncertainty_ns: uncertaintyNs });

/** The clocks of a lane's data sources that are drawn with an offset. */
const correctedClocks = (lane: Lane, clocks: ReadonlyMap<number, SourceClock>): readonly SourceClock[] =>
  lane.sources
    .flatMap((source) => clocks.get(source) ?? [])
    .filter(({ offsetNs, how }) => offsetNs !== 0n || how === 'being set');

/** Marks a lane with corrected clocks. */
function ClockChip({ clocks, text }: { readonly clocks: readonly SourceClock[]; readonly text: string }) {
  return (
    <>
      {' '}
      <span
        className={`clock-chip number ${clocks.some(({ how }) => how === 'being set') ? 'being-set' : ''}`}
        title={clocks
          .map((clock) => messages.lanes.clockTitle(clock.name, clockOffsetText(clock), clock.how))
          .join('\n')}
      >
        {text}
      </span>
    </>
  );
}

function countText({ involved, total, isJudged }: Pick<LayerRow, 'involved' | 'total' | 'isJudged'>): string {
  if (!isJudged) return messages.lanes.pending(total);
  return involved > 0 ? messages.lanes.involved(involved, total) : messages.lanes.noneInvolved(total);
}

function GroupLabel({ row, index, active, folding, entryOf, onFocus }: LabelProps<GroupRow>) {
  return (
    <li className="label-place" style={placed(row)}>
      <button
        type="button"
        data-index={index}
        data-testid="lane-group"
        className={`group-label layer-${row.layer}`}
        style={indented(row.depth)}
        aria-expanded={!row.collapsed}
        title={`${row.entityKeys.map((entityKey) => entityKey.replace(':', ' ')).join(', ')}: ${countText(row)}`}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onContextMenu={(event) => openAt(event, () => rowTarget(row, folding, entryOf))}
        onClick={() => toggleRow(row, folding)}
      >
        <span aria-hidden="true" className="twist">
          {row.collapsed ? '▸' : '▾'}
        </span>
        <span className="group-name ellipsis">{groupName(row)}</span>
        <span className="muted group-count">
          {row.involved > 0 ? messages.lanes.someOf(row.involved, row.total) : row.total}
        </span>
      </button>
    </li>
  );
}

const entityNameOf = (entityKey: string): string => entityKey.slice(entityKey.indexOf(':') + 1);

/** `GPU-1` for `node-5/GPU-1` within node-5: the group already shows the prefix. Names of cards differ at both ends. */
function nameWithin(name: string, containerName: string | undefined): string {
  const outer = containerName === undefined ? '' : entityNameOf(containerName);
  const rest = name.slice(outer.length);
  return shortUuid(outer !== '' && name.startsWith(outer) && /^[/:._ -]./.test(rest) ? rest.slice(1) : name);
}

const groupName = ({ entityKeys, names, within }: GroupRow): string =>
  names.map((name, at) => nameWithin(name, entityKeys[at - 1] ?? within)).join(' › ');

const INDENT_PX = 10;
const indented = (depth: number) => ({ paddingLeft: 18 + depth * INDENT_PX });

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
        {row.expanded ? messages.lanes.fewer : messages.lanes.more(row.hidden)}
      </button>
    </li>
  );
}

function LaneLabel({ row, index, active, folding, entryOf, clocks, onFocus }: LabelProps<LaneRow>) {
  const { lane } = row;
  const clock = clockOf(lane, clocks);
  const key = `${lane.entity_kind}:${lane.entity_id}`;
  const selected = useFocus(({ entities, selected: ref }) => entities.includes(key) || isQueryRef(lane, ref));
  const what = laneWhat(lane);
  const worst = lane.worst_severity === null ? '' : messages.lanes.worst(severities[lane.worst_severity] ?? 'low');
  const corrected = correctedClocks(lane, clocks);
  const chip =
    corrected.length === 0 ? '' : clock ? clockOffsetText(clock) : messages.lanes.clocks(lane.sources.length);
  const full = `${laneEntity(lane)} ${what}${chip === '' ? '' : ` ${chip}`}, ${lane.entity_kind}${lane.metric === '' ? '' : ` ${lane.metric}`}: ${formatCount(lane.count)} ${countedWhat(lane)}${worst}`;
  const choose = () => {
    const query = queryOf(lane);
    if (query !== null) {
      select(selected ? null : annotationRef(query));
      return showDetails();
    }
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
        style={indented(row.depth)}
        aria-pressed={selected}
        aria-label={full}
        title={messages.lanes.hint(full)}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onContextMenu={(event) => openAt(event, () => laneTarget(row, folding, entryOf))}
        onClick={choose}
        onDoubleClick={() => folding.toggleTall(lane.id)}
      >
        <span className="lane-entity ellipsis">
          {row.named ? nameWithin(laneEntity(lane), lane.within.at(-1)) : ''}
        </span>{' '}
        <span className="lane-what ellipsis muted">{what}</span>
        {chip === '' ? null : <ClockChip clocks={corrected} text={chip} />}
      </button>
    </li>
  );
}
