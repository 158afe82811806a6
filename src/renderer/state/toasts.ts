import { create } from 'zustand';
import type { Problem } from '../../model/problem.ts';
import { messages } from './messages.ts';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly problem: Problem | null;
  /** A button beside the text, such as Undo. */
  readonly action: ToastAction | null;
}

export interface ToastAction {
  readonly title: string;
  readonly run: () => void;
}

const NOTICE_MS = 4000;
/** Long enough to read and to reach the button. */
const ACTION_MS = 30_000;
export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));
let next = 1;

export const dismiss = (id: number): void =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

function push(text: string, problem: Problem | null, action: ToastAction | null = null): number {
  const id = next++;
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, text, problem, action }] }));
  return id;
}

/** Disappears by itself, so it must not contain anything important. */
export function notify(text: string, action: ToastAction | null = null): void {
  const id = push(text, null, action);
  setTimeout(() => dismiss(id), action ? ACTION_MS : NOTICE_MS);
}

/** Stays until it is dismissed. */
export const showError = (problem: Problem): void => void push(problem.message, problem);

export async function copyText(text: string, what: string): Promise<void> {
  const copied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
  if (copied) notify(messages.copied(what));
  else {
    showError({
      code: 'clipboard.refused',
      message: messages.copyFailed,
      hint: messages.copyFailedHint,
    });
  }
}

/** The desktop host grants no clipboard permission; a selection made on a key or click may be copied. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
