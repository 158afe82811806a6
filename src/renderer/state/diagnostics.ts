import { create } from 'zustand';
import { problemOf } from '../client/problem-of.ts';
import { client } from './client.ts';
import { messages } from './messages.ts';
import { copyText, showError } from './toasts.ts';

/** Diagnostics are shown before they are copied; null: they are not shown. */
export const useDiagnostics = create<{ readonly text: string | null }>()(() => ({ text: null }));

export async function showDiagnostics(): Promise<void> {
  try {
    useDiagnostics.setState(await client().call('app.diagnostics', {}));
  } catch (error) {
    showError(problemOf(error));
  }
}

export const hideDiagnostics = (): void => useDiagnostics.setState({ text: null });

export async function copyDiagnostics(): Promise<void> {
  const { text } = useDiagnostics.getState();
  hideDiagnostics();
  if (text !== null) await copyText(text, messages.diagnostics);
}
