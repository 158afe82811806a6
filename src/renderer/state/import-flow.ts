import { onAbort } from '../../base/on-abort.ts';
import type { FileHandle, FoundItem, Input, Output, RejectsPrompt } from '../../model/contract/index.ts';
import { adoptFiles } from '../client/adopt-files.ts';
import type { DroppedFile } from '../client/dropped-files.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { openHandle } from './case-lifecycle.ts';
import { client } from './client.ts';
import { applyImportEvent, idleImport, useImport } from './import-state.ts';
import { known, load } from './known.ts';
import { mayEndCapture } from './live.ts';
import { messages } from './messages.ts';
import { showCase } from './shown-case.ts';
import { notify, showError } from './toasts.ts';

/** Without a dialog of the host, the window offers the browser's. */
export const hasOwnDialog = (app: Output<'app.info'> | null): boolean => app?.host === 'electron';

export async function pickAndImport(purpose: 'import' | 'folder'): Promise<void> {
  try {
    const handles = await client().call('files.pick', { purpose });
    if (handles.length > 0) await runImport(async () => handles);
  } catch (error) {
    showError(problemOf(error));
  }
}

export const cancelImport = (): void => useImport.getState().running?.abort();

export const importFiles = (files: readonly DroppedFile[]): Promise<void> =>
  runImport((signal) =>
    adoptFiles(
      files,
      ({ file, bytesDone, bytesTotal }) => useImport.setState({ phase: 'uploading', file, bytesDone, bytesTotal }),
      signal,
    ),
  );

const isCase = ({ name }: FileHandle): boolean => /\.(faultline|flb)$/i.test(name);

export const runImport = (adopt: (signal: AbortSignal) => Promise<readonly FileHandle[]>): Promise<void> =>
  whileImporting(async (signal) => {
    useImport.setState({ ...idleImport, phase: 'uploading' });
    const handles = await adopt(signal);
    const opened = handles.find(isCase);
    const imported = handles.filter((handle) => !isCase(handle)).map(({ handle }) => handle);
    useImport.setState({ handles: imported });
    if (opened) {
      // From here on, the case shows its own progress.
      useImport.setState(idleImport);
      await openHandle(opened.handle);
    }
    if (imported.length > 0) await importHandles(imported, signal);
    else useImport.setState(idleImport);
  });

/** Imports files that were rejected as duplicates. */
export const reimport = (file: string): Promise<void> =>
  whileImporting(async (signal) => {
    const { choices: before, problems, skipped, handles } = useImport.getState();
    useImport.setState({ ...idleImport, problems: problems.filter((one) => one.file !== file), skipped });
    const { inspection, found } = await inspectFiles(handles, signal);
    const choices = found.map(({ item, name }) => ({ ...before[item], item, skip: name !== file }));
    await followImport({ inspection, choices, force: true }, signal);
  });

async function whileImporting(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (useImport.getState().running) return notify(messages.importRunning);
  const running = new AbortController();
  const { signal } = running;
  useImport.setState({ running });
  try {
    await work(signal);
  } catch (error) {
    useImport.setState(idleImport);
    if (!isAbort(error) && !signal.aborted) return showError(problemOf(error));
    notify(messages.importCancelled);
    await afterImport().catch((later: unknown) => showError(problemOf(later)));
  } finally {
    useImport.setState({ running: null });
  }
}

/** The investigator's decision on the import preview. */
export const answerPreview = (keepRejected: boolean): void => useImport.getState().decide?.(keepRejected);

/** Inspects the dropped files. */
async function inspectFiles(
  handles: readonly string[],
  signal: AbortSignal,
): Promise<{ inspection: string; found: FoundItem[] }> {
  useImport.setState({ phase: 'inspecting', inspectedFiles: 0 });
  for await (const event of client().stream('import.inspect', { handles: [...handles] }, signal)) {
    if (event.kind === 'found') return { inspection: event.inspection, found: event.sources };
    useImport.setState({ inspectedFiles: event.files, file: event.path });
  }
  throw new DOMException(messages.importCancelled, 'AbortError');
}

/**
 * Whether the investigator has to decide something: files from a folder or an archive, and files with missing metadata (a time,
 * zone, device or column meaning) are shown before the import. Other files are imported at once.
 */
function needsPreview(found: readonly FoundItem[]): boolean {
  const formats = known('app.info')?.formats ?? [];
  const incomplete = formats.filter(({ leaves_open, has_columns }) => leaves_open.length > 0 || has_columns);
  const open = new Set(incomplete.map(({ id }) => id));
  const isOpen = ({ format, left_open }: FoundItem): boolean =>
    left_open ? left_open.missing.length > 0 || left_open.readings.length > 1 : format !== null && open.has(format);
  return found.some((one) => one.name.includes('/') || one.files > 1 || isOpen(one));
}

async function waitForChoice(inspection: string, found: readonly FoundItem[], signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  onAbort(signal, () => resolve(false));
  useImport.setState({ phase: 'choosing', inspection, found, choices: {}, decide: resolve });
  const keepRejected = await promise;
  useImport.setState({ decide: null });
  return keepRejected;
}

async function importHandles(handles: readonly string[], signal: AbortSignal): Promise<void> {
  const { inspection, found } = await inspectFiles(handles, signal);
  // Rows of another incident in the case would change its verdict: where they go is asked first.
  const current = known('case.current') ?? null;
  const openCase = current !== null && current.sources.length > 0 ? current.name : null;
  useImport.setState({ openCase, intoNewCase: openCase === DEMO });
  if ((openCase !== null || needsPreview(found)) && !(await waitForChoice(inspection, found, signal))) {
    await client().call('import.discard', { inspection });
    throw new DOMException(messages.importCancelled, 'AbortError');
  }
  const importChoices = Object.entries(useImport.getState().choices);
  const choices = importChoices.map(([item, choice]) => ({ ...choice, item: Number(item) }));
  const { intoNewCase } = useImport.getState();
  if (openCase !== null && intoNewCase && !(await mayEndCapture(messages.openAnother)))
    throw new DOMException(messages.importCancelled, 'AbortError');
  const imported = await followImport({ inspection, choices, new_case: openCase !== null && intoNewCase }, signal);
  if (openCase !== null && !intoNewCase && imported.length > 0) offerUndo(imported, openCase);
}

/** The demo is an example: files of an own incident rarely belong into it. */
const DEMO = 'demo';

function offerUndo(sources: readonly number[], into: string): void {
  const undo = () => void removeSources(sources, messages.importUndone);
  notify(messages.importedInto(sources.length, into), { title: messages.undoImport, run: undo });
}

/** Takes data sources out of the open case. */
export async function removeSources(sources: readonly number[], done: string): Promise<void> {
  try {
    await client().call('sources.remove', { sources: [...sources] });
    await afterImport();
    notify(done);
  } catch (error) {
    showError(problemOf(error));
  }
}

/** @returns the numbers of the data sources that were imported */
async function followImport(order: Input<'import.run'>, signal: AbortSignal): Promise<readonly number[]> {
  useImport.setState({ phase: 'importing', found: [], bytesDone: 0, file: '' });
  for await (const event of client().stream('import.run', order, signal)) {
    if (signal.aborted) break;
    useImport.setState(applyImportEvent(useImport.getState(), event));
  }
  if (signal.aborted) throw new DOMException(messages.importCancelled, 'AbortError');
  await afterImport();
  const { problems, skipped, importedSources } = useImport.getState();
  if (problems.length === 0 && skipped.length === 0) useImport.setState(idleImport);
  else useImport.setState({ phase: 'done' });
  return importedSources;
}

/** The investigator's decision on a data source with mostly rejects; the import continues. */
export async function answerRejectsPrompt(
  { question: prompt }: RejectsPrompt,
  answer: Omit<Input<'import.answer'>, 'question'>,
): Promise<void> {
  useImport.setState({ prompt: null });
  try {
    await client().call('import.answer', { question: prompt, ...answer });
  } catch (error) {
    showError(problemOf(error));
  }
}

async function afterImport(): Promise<void> {
  const info = await client().call('case.current', {});
  if (info) await showCase(info);
  await load('case.recent');
}
