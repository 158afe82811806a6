import { problemOf } from '../client/problem-of.ts';
import { csvFileName, type Sheet, sheetCsv, sheetTabs } from '../draw/tables/sheet.ts';
import { useCase } from './case-state.ts';
import { saveFile } from './save-file.ts';
import { copyText, showError } from './toasts.ts';

/** A table on screen. */
export interface ShownTable {
  readonly label: string;
  /** Its current rows. */
  readonly sheet: () => Sheet;
}

const shown = new Set<ShownTable>();

/** Tables on screen with rows, for the command palette. */
export const shownTables = (): ShownTable[] => [...shown];

/** Registers a visible table; returns a function that removes it. */
export function showTable(table: ShownTable): () => void {
  shown.add(table);
  return () => shown.delete(table);
}

export async function saveTable({ label, sheet }: ShownTable): Promise<void> {
  try {
    const name = csvFileName(useCase.getState().name ?? '', label);
    await saveFile(name, new Blob([sheetCsv(sheet())], { type: 'text/csv' }));
  } catch (error) {
    showError(problemOf(error));
  }
}

export const copyTable = ({ label, sheet }: ShownTable): Promise<void> => copyText(sheetTabs(sheet()), label);
