import { create } from 'zustand';
import type { BundleEvent, Input, Output } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { stepsTaken } from './annotations.ts';
import type { Answer } from './answer.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { messages } from './messages.ts';
import { refreshAnswers } from './query-cache.ts';
import { saveMade } from './save-file.ts';
import { notify } from './toasts.ts';
import { noteSaved } from './unsaved.ts';
import { useCall } from './use-answer.ts';

/** Options and progress of a bundle. */
export interface Sharing {
  readonly open: boolean;
  /** Only the focus: its window and selected entities. */
  readonly cut: boolean;
  readonly redact: boolean;
  readonly rules: string;
  /** Name of the key in the keychain; '': not signed. */
  readonly key: string;
  /** What the preview is about; null: not requested since the last change. */
  readonly inspected: Input<'bundle.preview'> | null;
  readonly progress: Extract<BundleEvent, { kind: 'progress' }> | null;
  readonly done: Extract<BundleEvent, { kind: 'done' }> | null;
  readonly problem: Problem | null;
  /** Cancels the writing; null: nothing is being written. */
  readonly running: AbortController | null;
}

const RULES = `# ${messages.shareRules}
case: redacted
# words: [acme, project-blue]
# keep: [rack-1]
# attributes: { http.url: drop, enduser.id: { mask: "." } }
`;

const idle = { inspected: null, progress: null, done: null, problem: null } as const;

export const useShare = create<Sharing>()(() => ({
  open: false,
  cut: false,
  redact: false,
  rules: RULES,
  key: '',
  running: null,
  ...idle,
}));

export const showSharing = (open: boolean): void => useShare.setState({ open, ...idle });

type Choice = Partial<Pick<Sharing, 'cut' | 'redact' | 'rules' | 'key'>>;
/** A change makes the preview invalid. */
export const chooseSharing = (choice: Choice): void => useShare.setState({ ...choice, ...idle });

function order(): Input<'bundle.preview'> {
  const { cut, redact, rules } = useShare.getState();
  const { window, entities } = useFocus.getState();
  const part = {
    from_ns: window.startNs,
    to_ns: window.endNs,
    entities: entities.length > 0 ? [...entities] : null,
  };
  return { cut: cut ? part : null, redact: redact ? rules : null };
}

export const cancelSharing = (): void => useShare.getState().running?.abort();

/** Counts the exported rows and shows the replacement names. */
export function previewSharing(): void {
  if (useShare.getState().running) return;
  useShare.setState({ ...idle, inspected: order() });
  // The same preview once more, after a failure.
  refreshAnswers('bundle.preview');
}

/** The preview, once it was requested. */
export const usePreview = (): Answer<Output<'bundle.preview'>> =>
  useCall(
    'bundle.preview',
    useShare((state) => state.inspected),
  );

export async function writeBundle(): Promise<void> {
  const { key, running: other } = useShare.getState();
  if (other) return;
  const running = new AbortController();
  useShare.setState({ ...idle, running, progress: { kind: 'progress', stage: 'tables', done: 0, total: 0 } });
  try {
    const sign = key.trim() === '' ? null : `keychain:${key.trim()}`;
    await stepsTaken();
    for await (const event of client().stream('bundle.write', { ...order(), sign }, running.signal)) {
      if (event.kind === 'progress') useShare.setState({ progress: event });
      else await finish(event);
    }
    if (running.signal.aborted) notify(messages.noBundle);
  } catch (error) {
    if (!isAbort(error) && !running.signal.aborted) useShare.setState({ problem: problemOf(error) });
  } finally {
    useShare.setState({ running: null, progress: null });
  }
}

async function finish(done: Extract<BundleEvent, { kind: 'done' }>): Promise<void> {
  useShare.setState({ done });
  noteSaved();
  await saveMade(done.name, done.download);
}
