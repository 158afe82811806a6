import { create } from 'zustand';
import type { FoundItem, ImportEvent, Input, RejectsPrompt } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';

/** A correction of what was guessed of one found source; what is left out stays as guessed. */
export type Choice = Omit<NonNullable<Input<'import.run'>['choices']>[number], 'item'>;

export interface FileProblem {
  readonly file: string;
  readonly problem: Problem;
}

export interface ImportState {
  readonly phase: 'idle' | 'handing over' | 'looking' | 'choosing' | 'importing' | 'done';
  /** What was dropped, looked at and waiting for the investigator's word. */
  readonly inspection: string;
  readonly found: readonly FoundItem[];
  readonly choices: Readonly<Record<number, Choice>>;
  /** Files looked at so far. */
  readonly inspectedFiles: number;
  readonly file: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly rowsPerSecond: number;
  readonly remainingSeconds: number | null;
  /** What the import waits for; null while it goes on by itself. */
  readonly prompt: RejectsPrompt | null;
  readonly imported: number;
  readonly problems: readonly FileProblem[];
  /** Strangers inside folders and archives. */
  readonly skipped: readonly FileProblem[];
}

export const idleImport: ImportState = {
  phase: 'idle',
  inspection: '',
  found: [],
  choices: {},
  inspectedFiles: 0,
  file: '',
  bytesDone: 0,
  bytesTotal: 0,
  rows: 0,
  rowsPerSecond: 0,
  remainingSeconds: null,
  prompt: null,
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
    case 'question':
      return { ...state, file: event.file, prompt: event };
    case 'problem':
      return { ...state, problems: [...state.problems, { file: event.file, problem: readProblem(event.problem) }] };
    case 'skipped':
      return { ...state, skipped: [...state.skipped, { file: event.file, problem: readProblem(event.problem) }] };
    // What was imported is not on screen yet: until then nothing else can be imported, and the panel offers nothing.
    case 'done':
      return { ...state, imported: event.imported };
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

export function choose(item: number, choice: Choice): void {
  useImport.setState(({ choices }) => ({ choices: { ...choices, [item]: { ...choices[item], ...choice } } }));
}

export const dismissImport = (): void => useImport.setState(idleImport);
