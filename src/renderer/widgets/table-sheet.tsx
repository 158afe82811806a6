import { useEffect, useRef } from 'react';
import { type Sheet, type SheetCell, shownCell } from '../draw/tables/sheet.ts';
import { copyTable, type ShownTable, saveTable, showTable } from '../state/shown-tables.ts';
import type { Column } from './column.ts';
import { Menu } from './menu.tsx';
import { messages } from './messages.ts';
import { nodeText } from './node-text.ts';

/** Named columns as shown; cells without a file value use their text. */
export function sheetOf<R>(columns: readonly Column<R>[], rows: readonly R[]): Sheet {
  const sheetColumns = columns.filter(({ title, sheet }) => title !== '' && sheet !== null);
  return {
    // A file does not depend on the time zone of the window.
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

interface SheetMenuProps {
  readonly label: string;
  readonly hasRows: boolean;
  /** The rows on screen. */
  readonly sheet: () => Sheet;
}

/** Rows as a file or for a spreadsheet. */
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
    { id: 'csv', title: messages.saveCsv, run: () => void saveTable(table) },
    { id: 'tabs', title: messages.copySpreadsheet, run: () => void copyTable(table) },
  ];
  return (
    <div className="table-sheet">
      <Menu label={messages.exportTable(label)} items={items} side="end">
        {messages.csv}
      </Menu>
    </div>
  );
}
