import { create } from 'zustand';
import type { ImportEvent } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';

export interface FileProblem {
  readonly file: string;
  readonly problem: Problem;
}

export interface ImportState {
  readonly phase: 'idle' | 'handing over' | 'importing' | 'done';
  readonly file: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly rowsPerSecond: number;
  readonly remainingSeconds: number | null;
  readonly imported: number;
  readonly problems: readonly FileProblem[];
  /** Strangers inside folders and archives. */
  readonly skipped: readonly FileProblem[];
}

export const idleImport: ImportState = {
  phase: 'idle',
  file: '',
  bytesDone: 0,
  bytesTotal: 0,
  rows: 0,
  rowsPerSecond: 0,
  remainingSeconds: null,
  imported: 0,
  problems: [],
  skipped: [],
};

export const useImport = create<ImportState>()(() => idleImport);

/** Folds one event of an import into what its panel shows. */
export function applyImportEvent(state: ImportState, event: ImportEvent): ImportState {
  switch (event.kind) {
    case 'progress':
      return {
        ...state,
        phase: 'importing',
        file: event.file,
        bytesDone: event.bytes_done,
        bytesTotal: event.bytes_total,
        rows: event.rows,
        rowsPerSecond: event.rows_per_s,
        remainingSeconds: event.remaining_s,
      };
    case 'source':
      return { ...state, imported: state.imported + 1 };
    case 'problem':
      return { ...state, problems: [...state.problems, { file: event.file, problem: readProblem(event.problem) }] };
    case 'skipped':
      return { ...state, skipped: [...state.skipped, { file: event.file, problem: readProblem(event.problem) }] };
    case 'done':
      return { ...state, phase: 'done', imported: event.imported };
  }
}

function readProblem(problem: {
  code: string;
  message: string;
  hint?: string | undefined;
  place?: string | undefined;
}): Problem {
  const { code, message, hint, place } = problem;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...(place === undefined ? {} : { place }) };
}

export const dismissImport = (): void => useImport.setState(idleImport);
