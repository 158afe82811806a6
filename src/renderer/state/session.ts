import { onAbort } from '../../base/on-abort.ts';
import type {
  CaseInfo,
  FileHandle,
  FoundItem,
  Input,
  NamePair,
  Output,
  RejectsPrompt,
} from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { adoptFiles } from '../client/adopt-files.ts';
import { desktopBridge } from '../client/bridge.ts';
import { createClient } from '../client/client.ts';
import type { DroppedFile } from '../client/dropped-files.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { connect } from '../client/transport.ts';
import { loadAnnotations } from './annotations.ts';
import { useCase } from './case-state.ts';
import { client, setClient } from './client.ts';
import { loadCase, reloadConclusions } from './conclusions.ts';
import { extentOf, resetFocus } from './focus.ts';
import { catchUpWithLive, listenFollowing, resumeFollowing } from './follow-live.ts';
import { applyImportEvent, idleImport, useImport } from './import-state.ts';
import { followCapture, mayEndCapture } from './live.ts';
import { startLiveRefresh } from './live-refresh.ts';
import { listenFeeds } from './live-rows.ts';
import { messages } from './messages.ts';
import { followOtherWindows } from './other-windows.ts';
import { forgetRefusedRates } from './rates.ts';
import { recallPlace, rememberPlaces } from './saved-view-state.ts';
import { dropClock } from './source-clocks.ts';
import { forgetAnswer } from './sql.ts';
import { notify, showError } from './toasts.ts';
import { guardUnsaved, mayLoseAdded, noteAdded, noteSaved } from './unsaved.ts';
import { forgetSuppositions } from './what-if.ts';

/** Shown once; the next call reconnects and reports its own failure. */
function showConnectionLost(): void {
  showError({
    code: 'connection.lost',
    message: messages.connectionLost,
    hint: messages.connectionLostHint,
  });
}

/** Registered once, before the first case, so that work during correlation is not lost. */
export function listen(): void {
  listenFollowing();
  rememberPlaces();
  startLiveRefresh();
  listenFeeds();
  guardUnsaved();
}

/** Connects, then shows the open case of the host, or Home. */
export async function start(): Promise<void> {
  try {
    setClient(
      createClient(await connect(showConnectionLost), (_name, queryMs) => {
        useCase.setState({ queryMs });
        void follow();
        void followCapture();
      }),
    );
    const [app, info, recent] = await Promise.all([
      client().call('app.info', {}),
      client().call('case.current', {}),
      client().call('case.recent', {}),
    ]);
    useCase.setState({ app, recent, openProblem: null });
    if (info) await showCase(info, (name) => resumeFollowing(recallPlace(name)));
    else useCase.setState({ phase: 'home' });
    void follow();
    void followCapture();
    await openLinkedBundle();
  } catch (error) {
    useCase.setState({ phase: 'home', openProblem: problemOf(error) });
  }
}

/** Opens a bundle that the page address names, if the host allows it. */
async function openLinkedBundle(): Promise<void> {
  const linkedBundle = desktopBridge()?.linkedBundle?.();
  if (!linkedBundle) return;
  await runImport(async (signal) => {
    const onProgress = (bytesDone: number, bytesTotal: number) =>
      useImport.setState({ phase: 'uploading', file: linkedBundle.name, bytesDone, bytesTotal });
    const file = (await linkedBundle.fetch(onProgress, signal)) as File;
    return adoptFiles([{ file, path: null }], () => undefined, signal);
  });
}

const follow = (): Promise<void> =>
  followOtherWindows(async (info) => {
    if (info) await showCase(info, recallPlace);
    else goHome();
  });

/**
 * Fits to the data, selects the strongest incident and opens Causes, so that the chain is on screen at once. `recall`
 * restores the last place instead.
 */
async function showCase(info: CaseInfo, recall?: (caseName: string) => void): Promise<void> {
  const extent = extentOf(info);
  if (extent) resetFocus(extent.bounds, extent.recorded);
  useCase.setState((before) => ({
    phase: 'open',
    info,
    lanes: [],
    silences: [],
    incidents: null,
    clocks: [],
    openProblem: null,
    search: '',
    view: 'timeline',
    tab: 'causes',
    revision: before.revision + 1,
  }));
  recall?.(info.name);
  await Promise.all([loadCase(), loadAnnotations()]);
}

let opening: AbortController | undefined;
export const cancelOpening = (): void => opening?.abort();

/** Opens a case with progress; a bundle shows its own data meanwhile. */
async function load(input: Input<'case.load'>): Promise<CaseInfo> {
  opening = new AbortController();
  const { signal } = opening;
  try {
    for await (const event of client().stream('case.load', input, signal)) {
      if (event.kind === 'opened') return event.info;
      if (event.kind === 'progress') useCase.setState({ opening: event });
      else useCase.setState({ preview: event });
    }
    throw new DOMException(messages.openingCancelled, 'AbortError');
  } catch (error) {
    throw signal.aborted ? new DOMException(messages.openingCancelled, 'AbortError') : error;
  } finally {
    opening = undefined;
    useCase.setState({ opening: null, preview: null });
  }
}

async function open(openStored: () => Promise<CaseInfo>): Promise<void> {
  if (!(await mayEndCapture(messages.openAnother)) || !mayLoseAdded()) return;
  const before = useCase.getState().phase;
  useCase.setState({ phase: 'opening', openProblem: null });
  try {
    const info = await openStored();
    noteSaved();
    forgetSuppositions();
    dropClock();
    forgetAnswer();
    forgetRefusedRates();
    await showCase(info, recallPlace);
    useCase.setState({ recent: await client().call('case.recent', {}) });
  } catch (error) {
    useCase.setState({ phase: before });
    if (isAbort(error)) return notify(messages.nothingOpened);
    const problem = problemOf(error);
    useCase.setState({ openProblem: problem });
    if (before === 'open') showError(problem);
  }
}

export const openDemo = (): Promise<void> => open(() => client().call('case.open_demo', {}));
export const openRecent = (recent: string): Promise<void> => open(() => load({ recent }));
const openHandle = (handle: string): Promise<void> => open(() => load({ handle }));

export async function pickCase(): Promise<void> {
  try {
    const [picked] = await client().call('files.pick', { purpose: 'case' });
    if (picked) await openHandle(picked.handle);
  } catch (error) {
    showError(problemOf(error));
  }
}

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

function goHome(): void {
  forgetSuppositions();
  dropClock();
  forgetAnswer();
  forgetRefusedRates();
  useCase.setState({ phase: 'home', info: null, lanes: [], incidents: null });
}

/** Opens one more window on the same case; without host windows, a browser window. */
export async function openWindow(): Promise<void> {
  try {
    const { opened } = await client().call('app.new_window', {});
    if (!opened) window.open(location.href, '_blank', 'noopener');
  } catch (error) {
    showError(problemOf(error));
  }
}

export async function closeCase(): Promise<void> {
  if (!(await mayEndCapture(messages.closeCase)) || !mayLoseAdded()) return;
  try {
    await client().call('case.close', {});
    noteSaved();
    goHome();
    useCase.setState({ recent: await client().call('case.recent', {}) });
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Starts a capture by a plan, into the open case or a new one. Returns the problem; null: it runs. */
export async function startCapture(plan: string, newCase: boolean): Promise<Problem | null> {
  try {
    await client().call('capture.start', { plan, new_case: newCase });
    const info = await client().call('case.current', {});
    if (info && info.name !== useCase.getState().info?.name) await showCase(info);
    useCase.setState({ view: 'timeline' });
    catchUpWithLive();
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

let importing: AbortController | undefined;
export const cancelImport = (): void => importing?.abort();

export const importFiles = (files: readonly DroppedFile[]): Promise<void> =>
  runImport((signal) =>
    adoptFiles(
      files,
      ({ file, bytesDone, bytesTotal }) => useImport.setState({ phase: 'uploading', file, bytesDone, bytesTotal }),
      signal,
    ),
  );

const isCase = ({ name }: FileHandle): boolean => /\.(faultline|flb)$/i.test(name);

/** Handles of the last import, for a repeated import. */
let importedHandles: string[] = [];

const runImport = (adopt: (signal: AbortSignal) => Promise<readonly FileHandle[]>): Promise<void> =>
  whileImporting(async (signal) => {
    useImport.setState({ ...idleImport, phase: 'uploading' });
    const handles = await adopt(signal);
    const opened = handles.find(isCase);
    importedHandles = handles.filter((handle) => !isCase(handle)).map(({ handle }) => handle);
    if (opened) {
      // From here on, the case shows its own progress.
      useImport.setState(idleImport);
      await openHandle(opened.handle);
    }
    if (importedHandles.length > 0) await importHandles(signal);
    else useImport.setState(idleImport);
  });

/** Imports files that were rejected as duplicates. */
export const reimport = (file: string): Promise<void> =>
  whileImporting(async (signal) => {
    const { choices: before, problems, skipped } = useImport.getState();
    useImport.setState({ ...idleImport, problems: problems.filter((one) => one.file !== file), skipped });
    const { inspection, found } = await inspectFiles(importedHandles, signal);
    const choices = found.map(({ item, name }) => ({ ...before[item], item, skip: name !== file }));
    await followImport({ inspection, choices, force: true }, signal);
  });

async function whileImporting(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (importing) return notify(messages.importRunning);
  importing = new AbortController();
  const { signal } = importing;
  try {
    await work(signal);
  } catch (error) {
    useImport.setState(idleImport);
    if (!isAbort(error) && !signal.aborted) return showError(problemOf(error));
    notify(messages.importCancelled);
    await afterImport().catch((later: unknown) => showError(problemOf(later)));
  } finally {
    importing = undefined;
  }
}

let decide: ((keepRejected: boolean) => void) | undefined;
/** The investigator's decision on the import preview. */
export const answerPreview = (keepRejected: boolean): void => decide?.(keepRejected);

/** Inspects the dropped files. */
async function inspectFiles(
  handles: string[],
  signal: AbortSignal,
): Promise<{ inspection: string; found: FoundItem[] }> {
  useImport.setState({ phase: 'inspecting', inspectedFiles: 0 });
  for await (const event of client().stream('import.inspect', { handles }, signal)) {
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
  const formats = useCase.getState().app?.formats ?? [];
  const incomplete = formats.filter(({ leaves_open, has_columns }) => leaves_open.length > 0 || has_columns);
  const open = new Set(incomplete.map(({ id }) => id));
  return found.some(
    ({ name, format, files }) => name.includes('/') || files > 1 || (format !== null && open.has(format)),
  );
}

async function waitForChoice(inspection: string, found: readonly FoundItem[], signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  decide = resolve;
  onAbort(signal, () => resolve(false));
  useImport.setState({ phase: 'choosing', inspection, found, choices: {} });
  const keepRejected = await promise;
  decide = undefined;
  return keepRejected;
}

async function importHandles(signal: AbortSignal): Promise<void> {
  const { inspection, found } = await inspectFiles(importedHandles, signal);
  if (needsPreview(found) && !(await waitForChoice(inspection, found, signal))) {
    await client().call('import.discard', { inspection });
    throw new DOMException(messages.importCancelled, 'AbortError');
  }
  const importChoices = Object.entries(useImport.getState().choices);
  const choices = importChoices.map(([item, choice]) => ({ ...choice, item: Number(item) }));
  await followImport({ inspection, choices }, signal);
}

async function followImport(order: Input<'import.run'>, signal: AbortSignal): Promise<void> {
  useImport.setState({ phase: 'importing', found: [], bytesDone: 0, file: '' });
  for await (const event of client().stream('import.run', order, signal)) {
    if (signal.aborted) break;
    useImport.setState(applyImportEvent(useImport.getState(), event));
  }
  if (signal.aborted) throw new DOMException(messages.importCancelled, 'AbortError');
  await afterImport();
  const { problems, skipped } = useImport.getState();
  if (problems.length === 0 && skipped.length === 0) useImport.setState(idleImport);
  else useImport.setState({ phase: 'done' });
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

/** Separates two entities that share a name, or merges them again; every view reloads. */
export async function decideNames(pair: NamePair, apart: boolean): Promise<void> {
  try {
    await client().call(apart ? 'names.hold_apart' : 'names.rejoin', pair);
    noteAdded();
    await reloadConclusions();
    notify(apart ? messages.namesSeparated : messages.namesMerged);
  } catch (error) {
    showError(problemOf(error));
  }
}

async function afterImport(): Promise<void> {
  const info = await client().call('case.current', {});
  if (info) await showCase(info);
  useCase.setState({ recent: await client().call('case.recent', {}) });
}
