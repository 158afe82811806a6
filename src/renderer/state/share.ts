import { create } from 'zustand';
import type { BundleEvent, Input, Output } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { stepsTaken } from './annotations.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { messages } from './messages.ts';
import { saveMade } from './save-file.ts';
import { notify } from './toasts.ts';
import { noteSaved } from './unsaved.ts';

/** Options and progress of a bundle. */
export interface Sharing {
  readonly open: boolean;
  /** Only the focus: its window and selected entities. */
  readonly cut: boolean;
  readonly redact: boolean;
  readonly rules: string;
  /** Name of the key in the keychain; '': not signed. */
  readonly key: string;
  /** null: not requested since the last change. */
  readonly preview: Output<'bundle.preview'> | null;
  readonly isInspecting: boolean;
  readonly progress: Extract<BundleEvent, { kind: 'progress' }> | null;
  readonly done: Extract<BundleEvent, { kind: 'done' }> | null;
  readonly problem: Problem | null;
}

const RULES = `# ${messages.shareRules}
case: redacted
# words: [acme, project-blue]
# keep: [rack-1]
# attributes: { http.url: drop, enduser.id: { mask: "." } }
`;

const idle = { preview: null, isInspecting: false, progress: null, done: null, problem: null } as const;

export const useShare = create<Sharing>()(() => ({
  open: false,
  cut: false,
  redact: false,
  rules: RULES,
  key: '',
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

let running: AbortController | undefined;
export const cancelSharing = (): void => running?.abort();

/** Counts the exported rows and shows the replacement names. */
export async function previewSharing(): Promise<void> {
  if (running || useShare.getState().isInspecting) return;
  useShare.setState({ ...idle, isInspecting: true });
  try {
    useShare.setState({ preview: await client().call('bundle.preview', order()), isInspecting: false });
  } catch (error) {
    useShare.setState({ problem: problemOf(error), isInspecting: false });
  }
}

export async function writeBundle(): Promise<void> {
  if (running) return;
  running = new AbortController();
  const { key } = useShare.getState();
  useShare.setState({ ...idle, progress: { kind: 'progress', stage: 'tables', done: 0, total: 0 } });
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
    running = undefined;
    useShare.setState({ progress: null });
  }
}

async function finish(done: Extract<BundleEvent, { kind: 'done' }>): Promise<void> {
  useShare.setState({ done });
  noteSaved();
  await saveMade(done.name, done.download);
}
