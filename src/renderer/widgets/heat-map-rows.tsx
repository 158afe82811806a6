import type { CSSProperties } from 'react';

interface GroupsProps {
  readonly order: readonly number[];
  readonly groupOf: (row: number) => string;
  readonly rowPx: number;
}

const LEAST_LABEL_PX = 16;

/** Names of groups next to their rows, if these are adjacent and tall enough. */
export function Groups({ order, groupOf, rowPx }: GroupsProps) {
  const groups: { name: string; first: number; rows: number }[] = [];
  for (const [place, row] of order.entries()) {
    const name = groupOf(row);
    const last = groups.at(-1);
    if (last?.name === name) last.rows++;
    else groups.push({ name, first: place, rows: 1 });
  }
  let free = 0;
  return (
    <div className="heat-map-groups">
      {groups.map(({ name, first, rows }) => {
        const top = first * rowPx;
        if (top < free) return null;
        free = top + LEAST_LABEL_PX;
        return (
          <span
            key={first}
            className="ellipsis"
            title={name}
            style={{ top, height: Math.max(LEAST_LABEL_PX, rows * rowPx) }}
          >
            {name}
          </span>
        );
      })}
    </div>
  );
}

/** Rows closer than this are named at some distance from each other. */
const NAME_PX = 13;

interface RowNamesProps extends Pick<GroupsProps, 'order' | 'rowPx'> {
  readonly nameOf: (row: number) => string;
  /** The row under the pointer, else the selected one, which is named wherever it is; -1: none. */
  readonly named: number;
}

const GROUP_PX = 92;
const ROW_NAME_PX = 66;
/** Of the column of names, so that cells keep most of the width: longer ones end in dots, and show whole as a tooltip. */
const WIDEST_PX = 240;
/** About the width of a character at 10 px. */
const CHARACTER_PX = 5.6;

/** Widths of the columns with the names of groups and rows, as long as the longest name of a row. */
export function nameWidths(rows: readonly number[], nameOf: (row: number) => string = () => ''): CSSProperties {
  const longest = rows.reduce((most, row) => Math.max(most, nameOf(row).length), 0);
  const own = Math.min(WIDEST_PX, Math.max(ROW_NAME_PX, Math.ceil(14 + longest * CHARACTER_PX)));
  return { '--heat-names': `${GROUP_PX + own}px`, '--heat-row-names': `${own}px` } as CSSProperties;
}

/** Names of rows at their left. */
export function RowNames({ order, nameOf, rowPx, named }: RowNamesProps) {
  const every = Math.ceil(NAME_PX / rowPx);
  const at = order.indexOf(named);
  const places = Array.from({ length: Math.ceil(order.length / every) }, (_, index) => index * every);
  const near = (place: number): boolean => at >= 0 && place !== at && Math.abs(place - at) * rowPx < NAME_PX;
  const top = (place: number): number => place * rowPx;
  return (
    <div className="heat-map-row-names">
      {places.map((place) =>
        near(place) || place === at ? null : (
          <span key={place} title={nameOf(order[place]!)} style={{ top: top(place) }}>
            {nameOf(order[place]!)}
          </span>
        ),
      )}
      {at < 0 ? null : (
        <span className="heat-map-named" title={nameOf(named)} style={{ top: top(at) }}>
          {nameOf(named)}
        </span>
      )}
    </div>
  );
}
