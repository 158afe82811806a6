import type { Table } from '../../model/contract/index.ts';
import { cellText, cellWidth, isInstant, sheetCell, sortKey, titleOf } from '../draw/tables/table-cells.ts';
import type { TimeFormat } from '../draw/text/format-time.ts';
import type { Column } from './data-table.tsx';

export type Row = Table['rows'][number];

const MEASURED_ROWS = 100;

/** @param titled display names; chosen names are shown unchanged */
export function columnsOf(table: Table, format: TimeFormat, titled = titleOf): readonly Column<Row>[] {
  return table.columns.map((column, at): Column<Row> => {
    const instant = isInstant(column);
    const numeric = !instant && table.rows.some((row) => typeof row[at] === 'number' || typeof row[at] === 'bigint');
    const title = titled(column.name);
    const width = cellWidth(
      title,
      table.rows.slice(0, MEASURED_ROWS).map((row) => cellText(column, row[at] ?? null, format)),
    );
    return {
      id: column.name,
      title,
      numeric,
      width: width >= 160 ? `minmax(${width}px, 1fr)` : `${width}px`,
      cell: (row) => {
        const text = cellText(column, row[at] ?? null, format);
        return width >= 160 ? <span title={text}>{text}</span> : text;
      },
      sort: (row) => sortKey(row[at] ?? null),
      // Raw values, so the name states their unit.
      sheet: { name: instant ? title : column.name, cell: (row) => sheetCell(column, row[at] ?? null) },
    };
  });
}
