import { create } from 'zustand';
import type { FoundItem, ImportEvent, Input, RejectsPrompt } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';

/** Corrections for one data source; missing fields keep the detected value. */
export type Choice = Omit<NonNullable<Input<'import.run'>['choices']>[number], 'item'>;

export interface FileProblem {
  readonly file: string;
  readonly problem: Problem;
}

export interface ImportState {
  readonly phase: 'idle' | 'uploading' | 'inspecting' | 'choosing' | 'importing' | 'done';
  /** Id of the inspected files that wait for the investigator's decision. */
  readonly inspection: string;
  readonly found: readonly FoundItem[];
  readonly choices: Readonly<Record<number, Choice>>;
  /** Files inspected so far. */
  readonly inspectedFiles: number;
  readonly file: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly rowsPerSecond: number;
  readonly remainingSeconds: number | null;
  /** A decision that the import waits for; null: it continues. */
  readonly prompt: RejectsPrompt | null;
  readonly imported: number;
  /** Numbers of the data sources that were imported, to undo the import. */
  readonly importedSources: readonly number[];
  /** The open case, while it is asked whether to import into it or into a new one; null: nothing is asked. */
  readonly openCase: string | null;
  readonly intoNewCase: boolean;
  readonly problems: readonly FileProblem[];
  /** Unrecognised files in folders and archives. */
  readonly skipped: readonly FileProblem[];
  /** Cancels the import; null: none runs. */
  readonly running: AbortController | null;
  /** Handles of the last import, for a repeated import. */
  readonly handles: readonly string[];
  /** Takes the investigator's decision on the preview; null: none is waited for. */
  readonly decide: ((keepRejected: boolean) => void) | null;
}

type Panel = Omit<ImportState, 'running' | 'handles' | 'decide'>;

/** An empty import panel. */
export const idleImport: Panel = {
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
  importedSources: [],
  openCase: null,
  intoNewCase: false,
  problems: [],
  skipped: [],
};

export const useImport = create<ImportState>()(() => ({ ...idleImport, running: null, handles: [], decide: null }));

/** Applies one import event to the state of the import panel. */
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
      return {
        ...state,
        imported: state.imported + 1,
        importedSources: [...state.importedSources, event.source.source_id],
      };
    case 'question':
      return { ...state, file: event.file, prompt: event };
    case 'problem':
      return { ...state, problems: [...state.problems, { file: event.file, problem: readProblem(event.problem) }] };
    case 'skipped':
      return { ...state, skipped: [...state.skipped, { file: event.file, problem: readProblem(event.problem) }] };
    // The imported data is not on screen yet; until then no other import may start, so the panel offers nothing.
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

export const chooseNewCase = (intoNewCase: boolean): void => useImport.setState({ intoNewCase });

export const dismissImport = (): void => useImport.setState(idleImport);
