import { create } from 'zustand';
import type { Problem } from '../../model/problem.ts';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly problem: Problem | null;
}

const NOTICE_MS = 4000;
export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));
let next = 1;

export const dismiss = (id: number): void =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

function push(text: string, problem: Problem | null): number {
  const id = next++;
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, text, problem }] }));
  return id;
}

/** Goes away by itself; nothing is lost with it. */
export function notify(text: string): void {
  const id = push(text, null);
  setTimeout(() => dismiss(id), NOTICE_MS);
}

/** Stays until read. */
export const complain = (problem: Problem): void => void push(problem.message, problem);

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  } catch {
    complain({ code: 'clipboard.refused', message: 'the clipboard refused the text', hint: 'select it and copy by hand' });
  }
}
