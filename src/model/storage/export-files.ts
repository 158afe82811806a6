import type { OrderedRows } from '../rows/ordered-rows.ts';
import type { Engine } from './engine.ts';

/** Where something goes that is handed to other tools. */
export interface ExportTarget {
  /** A file, or the folder of several; null: standard output. */
  readonly path: string | null;
  /** Whether files of the same names in a folder give way. */
  readonly overwrite: boolean;
  /** Whether the page has to fetch it from there. */
  readonly download: boolean;
}

/** An export table: SQL over the case, and metadata of its file. */
export interface ExportSelect extends OrderedRows {
  readonly table: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ExportWork {
  readonly signal: AbortSignal;
  /** How far it is, in tables or rows; a total of 0 is not known. */
  onProgress(done: number, total: number): void;
}

/** Export files of the host; the core determines their content. */
export interface ExportFiles {
  /**
   * Each table that has rows as one Parquet file in a folder, all of them or none.
   * @throws ProblemError export.not_empty, export.not_a_folder
   */
  writeTables(
    engine: Engine,
    selects: readonly ExportSelect[],
    target: ExportTarget,
    work: ExportWork,
  ): Promise<readonly { readonly table: string; readonly rows: number; readonly bytes: number }[]>;
  /** Text piece by piece as one file, whole or not at all. A piece is written before the next one is asked for. @returns bytes */
  writeText(
    target: ExportTarget,
    pieces: AsyncIterable<string | Uint8Array>,
    work: Pick<ExportWork, 'signal'>,
  ): Promise<number>;
}
