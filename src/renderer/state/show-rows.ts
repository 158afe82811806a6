import { create } from 'zustand';
import { selectEntity, useFocus } from './focus.ts';
import { prefer } from './preferences.ts';

export type RowsTable = 'event' | 'span' | 'log';

/** The table of the rows drawer. */
export const useRowsTable = create<{ readonly table: RowsTable }>()(() => ({ table: 'event' }));
export const setRowsTable = (table: RowsTable): void => useRowsTable.setState({ table });

/** Opens the rows drawer for an entity key, in the window on screen. */
export function showRows(table: RowsTable, entityKey: string): void {
  setRowsTable(table);
  if (!useFocus.getState().entities.includes(entityKey)) selectEntity(entityKey);
  prefer({ drawerOpen: true });
}
