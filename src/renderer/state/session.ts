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
import { followOtherWindows } from './other-windows.ts';
import { forgetRefusedRates } from './rates.ts';
import { recallPlace, rememberPlaces } from './saved-view-state.ts';
import { dropClock } from './source-clocks.ts';
import { forgetAnswer } from './sql.ts';
import { notify, showError } from './toasts.ts';
import { guardUnsaved, mayLoseAdded, noteAdded, noteSaved } from './unsaved.ts';
import { forgetSuppositions } from './what-if.ts';

/** Told once; the next call opens the connection anew, and says so itself if it cannot. */
function showConnectionLost(): void {
  showError({
    code: 'connection.lost',
    message: 'the connection to Faultline was lost',
    hint: 'what you see is as it was; check that `faultline serve` still runs',
  });
}

/** Once, and first: what somebody does while a case is still being judged is not forgotten. */
export function listen(): void {
  listenFollowing();
  rememberPlaces();
  startLiveRefresh();
  listenFeeds();
  guardUnsaved();
}

/** Connects, then shows the case that the host already has open, or Home. */
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

/** What the page's own address names, where its host lets it. */
async function openLinkedBundle(): Promise<void> {
  const linkedBundle = desktopBridge()?.linkedBundle?.();
  if (!linkedBundle) return;
  await runImport(async (signal) => {
    const onProgress = (bytesDone: number, bytesTotal: number) =>
      useImport.setState({ phase: 'handing over', file: linkedBundle.name, bytesDone, bytesTotal });
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
 * Fit to data, select the strongest incident, open Causes: the chain is on screen before anyone asks. `recall` returns
 * to where somebody was instead.
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

/** Opens a case and shows how that goes on; what a bundle says of itself stands there until it is read. */
async function load(input: Input<'case.load'>): Promise<CaseInfo> {
  opening = new AbortController();
  const { signal } = opening;
  try {
    for await (const event of client().stream('case.load', input, signal)) {
      if (event.kind === 'opened') return event.info;
      if (event.kind === 'progress') useCase.setState({ opening: event });
      else useCase.setState({ preview: event });
    }
    throw new DOMException('opening cancelled', 'AbortError');
  } catch (error) {
    throw signal.aborted ? new DOMException('opening cancelled', 'AbortError') : error;
  } finally {
    opening = undefined;
    useCase.setState({ opening: null, preview: null });
  }
}

async function open(openStored: () => Promise<CaseInfo>): Promise<void> {
  if (!(await mayEndCapture('open another case')) || !mayLoseAdded()) return;
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
    if (isAbort(error)) return notify('nothing was opened');
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

/** False when the host has no dialog of its own, so that the window offers the browser's. */
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

/** One more window on the same case; where the host has none of its own, the browser's. */
export async function openWindow(): Promise<void> {
  try {
    const { opened } = await client().call('app.new_window', {});
    if (!opened) window.open(location.href, '_blank', 'noopener');
  } catch (error) {
    showError(problemOf(error));
  }
}

export async function closeCase(): Promise<void> {
  if (!(await mayEndCapture('close the case')) || !mayLoseAdded()) return;
  try {
    await client().call('case.close', {});
    noteSaved();
    goHome();
    useCase.setState({ recent: await client().call('case.recent', {}) });
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Records what a plan says, into the open case or a new one, and follows it. Answers why it could not; null: it runs. */
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
      ({ file, bytesDone, bytesTotal }) => useImport.setState({ phase: 'handing over', file, bytesDone, bytesTotal }),
      signal,
    ),
  );

const isCase = ({ name }: FileHandle): boolean => /\.(faultline|flb)$/i.test(name);

/** What the last import was given, for what is to be imported again. */
let importedHandles: string[] = [];

const runImport = (adopt: (signal: AbortSignal) => Promise<readonly FileHandle[]>): Promise<void> =>
  whileImporting(async (signal) => {
    useImport.setState({ ...idleImport, phase: 'handing over' });
    const handles = await adopt(signal);
    const opened = handles.find(isCase);
    importedHandles = handles.filter((handle) => !isCase(handle)).map(({ handle }) => handle);
    if (opened) {
      // What it is from here on is told by itself.
      useImport.setState(idleImport);
      await openHandle(opened.handle);
    }
    if (importedHandles.length > 0) await importHandles(signal);
    else useImport.setState(idleImport);
  });

/** Imports what was refused because the case has it already. */
export const reimport = (file: string): Promise<void> =>
  whileImporting(async (signal) => {
    const { choices: before, problems, skipped } = useImport.getState();
    useImport.setState({ ...idleImport, problems: problems.filter((one) => one.file !== file), skipped });
    const { inspection, found } = await inspectFiles(importedHandles, signal);
    const choices = found.map(({ item, name }) => ({ ...before[item], item, skip: name !== file }));
    await followImport({ inspection, choices, force: true }, signal);
  });

async function whileImporting(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (importing) return notify('an import is already running');
  importing = new AbortController();
  const { signal } = importing;
  try {
    await work(signal);
  } catch (error) {
    useImport.setState(idleImport);
    if (!isAbort(error) && !signal.aborted) return showError(problemOf(error));
    notify('import cancelled');
    await afterImport().catch((later: unknown) => showError(problemOf(later)));
  } finally {
    importing = undefined;
  }
}

let decide: ((keepRejected: boolean) => void) | undefined;
/** The investigator's word on what was found. */
export const answerPreview = (keepRejected: boolean): void => decide?.(keepRejected);

/** Looks into what was dropped. */
async function inspectFiles(
  handles: string[],
  signal: AbortSignal,
): Promise<{ inspection: string; found: FoundItem[] }> {
  useImport.setState({ phase: 'looking', inspectedFiles: 0 });
  for await (const event of client().stream('import.inspect', { handles }, signal)) {
    if (event.kind === 'found') return { inspection: event.inspection, found: event.sources };
    useImport.setState({ inspectedFiles: event.files, file: event.path });
  }
  throw new DOMException('import cancelled', 'AbortError');
}

/**
 * Whether there is something to decide: what lay in a folder or an archive, and files that leave a time, a zone, a
 * device or the meaning of columns open, are shown before they are kept. A file that says everything goes straight in.
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
    throw new DOMException('import cancelled', 'AbortError');
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
  if (signal.aborted) throw new DOMException('import cancelled', 'AbortError');
  await afterImport();
  const { problems, skipped } = useImport.getState();
  if (problems.length === 0 && skipped.length === 0) useImport.setState(idleImport);
  else useImport.setState({ phase: 'done' });
}

/** The investigator's word on a source of which most could not be read; the import goes on with it. */
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

/** Says that two names mean two things, or takes that back; every view asks again. */
export async function decideNames(pair: NamePair, apart: boolean): Promise<void> {
  try {
    await client().call(apart ? 'names.hold_apart' : 'names.rejoin', pair);
    noteAdded();
    await reloadConclusions();
    notify(apart ? 'held apart' : 'joined again');
  } catch (error) {
    showError(problemOf(error));
  }
}

async function afterImport(): Promise<void> {
  const info = await client().call('case.current', {});
  if (info) await showCase(info);
  useCase.setState({ recent: await client().call('case.recent', {}) });
}
