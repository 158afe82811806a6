import { create } from 'zustand';
import type { Problem } from '../../model/problem.ts';
import { problemOf } from '../client/problem-of.ts';
import { chooseBrowserFiles } from './browser-files.ts';
import { showView } from './case-state.ts';
import { client } from './client.ts';
import { messages } from './messages.ts';
import { refreshAnswers } from './query-cache.ts';
import { notify } from './toasts.ts';

/** The price catalog of the open case's reports. */
export const useRates = create<{
  /** Why the last selected file was rejected. */
  readonly refused: { readonly name: string; readonly problem: Problem } | null;
}>()(() => ({ refused: null }));

/** The rejection belongs to the previous case. */
export const forgetRefusedRates = (): void => useRates.setState({ refused: null });

/** Larger than any handwritten catalog. */
const MOST_BYTES = 1_000_000;

/** Whether a file is a price catalog (docs/rates.example.yaml). */
export async function isRatesFile(file: File): Promise<boolean> {
  if (!/\.ya?ml$/i.test(file.name) || file.size > MOST_BYTES) return false;
  const text = await file.text();
  return /^\s*rates\s*:/m.test(text) && /^\s*(currency|version)\s*:/m.test(text);
}

/** A rejected file replaces nothing. */
export async function chooseRates(file: File): Promise<void> {
  showView('report');
  await change(file.name, async () => {
    const { lines, currency } = await client().call('rates.choose', { name: file.name, text: await file.text() });
    notify(messages.pricesLoaded(lines, currency, file.name));
  });
}

export const removeRates = (name: string): Promise<void> =>
  change(name, async () => void (await client().call('rates.remove', {})));

async function change(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    useRates.setState({ refused: null });
    refreshAnswers('rates.get', 'trace.cost', 'costs', 'report');
  } catch (error) {
    useRates.setState({ refused: { name, problem: problemOf(error) } });
  }
}

/** The browser's dialog, also in the desktop app: the window reads the text itself and needs no path. */
export function openRatesChooser(): void {
  chooseBrowserFiles({ accept: '.yaml,.yml' }, ([file]) => {
    if (file) void chooseRates(file);
  });
}
