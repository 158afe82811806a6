import { create } from 'zustand';
import type { RatesInUse } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { problemOf } from '../client/problem-of.ts';
import { showView } from './case-state.ts';
import { client } from './client.ts';
import { notify } from './toasts.ts';

/** The prices of the open case's reports. */
export const useRates = create<{
  /** Grows when they change, so that the report is asked for again. */
  readonly edition: number;
  /** Why the last file that was chosen could not be used. */
  readonly refused: { readonly name: string; readonly problem: Problem } | null;
}>()(() => ({ edition: 0, refused: null }));

/** What was refused in one case says nothing of another. */
export const forgetRefusedRates = (): void => useRates.setState({ refused: null });

/** More than anybody writes by hand. */
const MOST_BYTES = 1_000_000;

/** Whether a file says of itself that it is a catalog of prices (docs/rates.example.yaml). */
export async function isRatesFile(file: File): Promise<boolean> {
  if (!/\.ya?ml$/i.test(file.name) || file.size > MOST_BYTES) return false;
  const text = await file.text();
  return /^\s*rates\s*:/m.test(text) && /^\s*(currency|version)\s*:/m.test(text);
}

/** What is refused replaces nothing. */
export async function chooseRates(file: File): Promise<void> {
  showView('report');
  await change(file.name, async () => {
    const { lines, currency } = await client().call('rates.choose', { name: file.name, text: await file.text() });
    notify(`${lines} ${lines === 1 ? 'price' : 'prices'} in ${currency} from ${file.name}`);
  });
}

export const removeRates = (name: string): Promise<void> =>
  change(name, async () => void (await client().call('rates.remove', {})));

export const currentRates = (signal: AbortSignal): Promise<RatesInUse | null> => client().call('rates.get', {}, signal);

async function change(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    useRates.setState(({ edition }) => ({ edition: edition + 1, refused: null }));
  } catch (error) {
    useRates.setState({ refused: { name, problem: problemOf(error) } });
  }
}

/** The browser's dialog, also in the desktop app: the window reads the text itself, no path is needed. */
export function openRatesChooser(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.yaml,.yml';
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) void chooseRates(file);
  });
  input.click();
}
