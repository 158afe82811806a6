import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber } from '../../draw/text/format-value.ts';
import type { Structure, StructureChange, StructureRow, StructureSide } from '../../draw/traces/span-structure.ts';
import { structureMessages } from './structure-messages.ts';

const texts = structureMessages;
const marks: Readonly<Record<NonNullable<StructureChange>, string>> = {
  ...{ new: '✱', gone: '✕', longer: '↑', shorter: '↓', more: '+', fewer: '\u2212' },
};
const INDENT = 14;
const DEEPEST = 16;

/** Paths that a picture can show; more is a table's. */
export const MOST_PATHS = 200;

interface StructureTreeProps {
  readonly structure: Structure;
  /** Names of the two sides, for the key. */
  readonly sides: readonly [before: string, after: string];
  /** What a row leads to; null: nothing. */
  readonly onOpen: (row: StructureRow) => void;
  /** The same as a table. */
  readonly table: ReactNode;
}

/** Which spans appeared, vanished or grew, on one tree; a table of the same is a click away. */
export function StructureTree({ structure, sides, onOpen, table }: StructureTreeProps) {
  const [isTable, setTable] = useState(false);
  return (
    <div className="structure">
      <div className="structure-bar">
        <fieldset className="segments" aria-label={texts.forms}>
          {[false, true].map((form) => (
            <button key={String(form)} type="button" aria-pressed={isTable === form} onClick={() => setTable(form)}>
              {form ? texts.table : texts.tree}
            </button>
          ))}
        </fieldset>
        <span className="structure-key">
          <i className="before" /> {sides[0]} <i className="after" /> {sides[1]}
        </span>
        <span className="muted ellipsis">
          {texts.about}
          {structure.left > 0 ? texts.left(structure.left) : ''}
        </span>
      </div>
      {isTable ? table : <Tree structure={structure} onOpen={onOpen} />}
    </div>
  );
}

/** Rows by arrow keys, Home and End; Enter opens one. */
function Tree({ structure: { rows, longest_ns }, onOpen }: Pick<StructureTreeProps, 'structure' | 'onOpen'>) {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const go = (to: number) => {
    const next = Math.min(Math.max(to, 0), rows.length - 1);
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[next]?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    const to = placeBy(event.key, current, rows.length);
    if (event.key === 'Enter' && row) onOpen(row);
    else if (to !== null) go(to);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="structure-tree" role="tree" aria-label={texts.label} ref={list} onKeyDown={walk} tabIndex={-1}>
      {rows.map((row, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree walks its rows by keys.
        <div
          key={row.key}
          className={`structure-row ${row.change ?? 'same'}`}
          role="treeitem"
          aria-level={row.depth + 1}
          aria-selected={at === current}
          tabIndex={at === current ? 0 : -1}
          onFocus={() => setCurrent(at)}
          onClick={() => onOpen(row)}
        >
          <span className="structure-name ellipsis" style={{ paddingLeft: INDENT * Math.min(row.depth, DEEPEST) }}>
            <b className="structure-mark" aria-hidden="true">
              {row.change === null ? '' : marks[row.change]}
            </b>{' '}
            {row.change === null ? null : <span className="visually-hidden">{texts.changes[row.change]}, </span>}
            {nameOf(row)} <span className="muted">{row.service ?? texts.unknownService}</span>
          </span>
          <span className="structure-bars">
            <Bar side={row.before} kind="before" longest={longest_ns} />
            <Bar side={row.after} kind="after" longest={longest_ns} />
          </span>
          <span className="structure-figures">{figuresOf(row)}</span>
        </div>
      ))}
    </div>
  );
}

/** Where a key leads in a list; null: nowhere. */
function placeBy(key: string, from: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return from + 1;
    case 'ArrowUp':
      return from - 1;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

interface BarProps {
  readonly side: StructureSide | null;
  readonly kind: 'before' | 'after';
  readonly longest: number;
}

const Bar = ({ side, kind, longest }: BarProps) => (
  <i className={kind} style={{ width: side ? `max(1px, ${(100 * side.time_ns) / longest}%)` : 0 }} />
);

const nameOf = ({ name }: StructureRow): string => name ?? texts.unnamed;
const countOf = (side: StructureSide | null): string => {
  const spans = side?.spans ?? 0;
  return Number.isInteger(spans) || spans >= 100
    ? formatCount(Math.round(spans))
    : formatNumber(Number(spans.toPrecision(2)));
};
const timeOf = (side: StructureSide | null): string => (side ? formatDuration(side.time_ns) : texts.none);

/** `10 ms → 30 ms, 1 → 3 spans` */
function figuresOf({ before, after }: StructureRow): string {
  const [was, is] = [countOf(before), countOf(after)];
  const count = was === is ? texts.spans(is) : texts.spans(texts.moved(was, is));
  return `${texts.moved(timeOf(before), timeOf(after))}, ${count}`;
}
