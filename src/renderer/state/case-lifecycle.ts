import type { CaseInfo, Input } from '../../model/contract/index.ts';
import type { DemoScenario } from '../../model/demo-scenario.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { load } from './known.ts';
import { mayEndCapture } from './live.ts';
import { messages } from './messages.ts';
import { recallPlace } from './saved-view-state.ts';
import { forgetCase, goHome, showCase } from './shown-case.ts';
import { notify, showError } from './toasts.ts';
import { mayLoseAdded, noteSaved } from './unsaved.ts';

export const cancelOpening = (): void => useCase.getState().loading?.abort();

/** Opens a case with progress; a bundle shows its own data meanwhile. */
async function loadStored(input: Input<'case.load'>): Promise<CaseInfo> {
  const loading = new AbortController();
  const { signal } = loading;
  useCase.setState({ loading });
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
    useCase.setState({ loading: null, opening: null, preview: null });
  }
}

async function open(openStored: () => Promise<CaseInfo>): Promise<void> {
  if (!(await mayEndCapture(messages.openAnother)) || !mayLoseAdded()) return;
  const before = useCase.getState().phase;
  useCase.setState({ phase: 'opening', openProblem: null });
  try {
    const info = await openStored();
    noteSaved();
    forgetCase();
    await showCase(info, recallPlace);
    await load('case.recent');
  } catch (error) {
    useCase.setState({ phase: before });
    if (isAbort(error)) return notify(messages.nothingOpened);
    const problem = problemOf(error);
    useCase.setState({ openProblem: problem });
    if (before === 'open') showError(problem);
  }
}

export const openDemo = (scenario: DemoScenario | null = null): Promise<void> =>
  open(() => client().call('case.open_demo', { scenario }));
export const openRecent = (recent: string): Promise<void> => open(() => loadStored({ recent }));
/** Takes a case off the list; the case stays where it is. */
export async function forgetRecent(recent: string): Promise<void> {
  try {
    await client().call('case.forget_recent', { recent });
    await load('case.recent');
  } catch (error) {
    showError(problemOf(error));
  }
}
export const openHandle = (handle: string): Promise<void> => open(() => loadStored({ handle }));

export async function pickCase(): Promise<void> {
  try {
    const [picked] = await client().call('files.pick', { purpose: 'case' });
    if (picked) await openHandle(picked.handle);
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
    await load('case.recent');
  } catch (error) {
    showError(problemOf(error));
  }
}
