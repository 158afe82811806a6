import { useEffect, useRef } from 'react';
import { type Sheet, type SheetCell, shownCell } from '../draw/tables/sheet.ts';
import { copyTable, type ShownTable, saveTable, showTable } from '../state/shown-tables.ts';
import type { Column } from './column.ts';
import { Menu } from './menu.tsx';
import { nodeText } from './node-text.ts';

/** Columns with a name, as they are shown; cells without a value of their own by the text in them. */
function sheetOf<R>(columns: readonly Column<R>[], rows: readonly R[]): Sheet {
  const sheetColumns = columns.filter(({ title, sheet }) => title !== '' && sheet !== null);
  return {
    // Which zone the window writes times in says nothing about a file.
    names: sheetColumns.map(
      ({ title, sheet, instant }) => sheet?.name ?? (instant ? title.replace(/ \(.*\)$/, '') : title),
    ),
    rows: rows.map((row) => sheetColumns.map((column) => cellOf(column, row))),
  };
}

function cellOf<R>(column: Column<R>, row: R): SheetCell {
  if (column.sheet?.cell) return column.sheet.cell(row);
  const instant = column.instant?.(row);
  if (instant !== undefined) return instant === null ? null : { instant };
  return shownCell(nodeText(column.cell(row)).trim(), column.numeric ?? false);
}

interface TableSheetProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
}

/** The way out of every table of columns. */
export function TableSheet<R>({ label, columns, rows }: TableSheetProps<R>) {
  return <SheetMenu label={label} hasRows={rows.length > 0} sheet={() => sheetOf(columns, rows)} />;
}

interface SheetMenuProps {
  readonly label: string;
  readonly hasRows: boolean;
  /** What is on screen. */
  readonly sheet: () => Sheet;
}

/** Rows as a file, or for a spreadsheet. It shows while what holds it is pointed at, or has the focus. */
export function SheetMenu({ label, hasRows, sheet }: SheetMenuProps) {
  const latest = useRef(sheet);
  latest.current = sheet;
  const table: ShownTable = { label, sheet: () => latest.current() };
  useEffect(() => {
    const shown = { label, sheet: () => latest.current() };
    return hasRows ? showTable(shown) : undefined;
  }, [label, hasRows]);
  if (!hasRows) return null;
  const items = [
    { id: 'csv', title: 'Save as CSV…', run: () => void saveTable(table) },
    { id: 'tabs', title: 'Copy for a spreadsheet', run: () => void copyTable(table) },
  ];
  return (
    <div className="table-sheet">
      <Menu label={`Take ${label} elsewhere`} items={items}>
        CSV
      </Menu>
    </div>
  );
}
