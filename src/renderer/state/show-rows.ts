import { create } from 'zustand';
import { selectEntity, useFocus } from './focus.ts';
import { prefer } from './preferences.ts';

export type RowsTable = 'event' | 'span' | 'log';

/** Which kind of rows the drawer shows. */
export const useRowsTable = create<{ readonly table: RowsTable }>()(() => ({ table: 'event' }));
export const setRowsTable = (table: RowsTable): void => useRowsTable.setState({ table });

/** Opens the drawer on the rows of a thing, `kind:id`, in the window on screen. */
export function showRows(table: RowsTable, entityKey: string): void {
  setRowsTable(table);
  if (!useFocus.getState().entities.includes(entityKey)) selectEntity(entityKey);
  prefer({ drawerOpen: true });
}
