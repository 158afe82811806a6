import type { Parsed, RatesInUse } from '../../../model/contract/index.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { readStoredRates, type StoredRates, writeStoredRates } from '../../store/case-file/stored-rates.ts';
import type { Workspace } from '../workspace.ts';

/** GPU prices of the open case. */
export function ratesHandlers(workspace: Workspace) {
  return {
    'rates.get': async (): Promise<RatesInUse | null> => {
      const selectedRates = await workspace.required().withSession(readStoredRates);
      return selectedRates && inUse(selectedRates);
    },
    'rates.choose': async (selectedRates: Parsed<'rates.choose'>): Promise<RatesInUse> => {
      // Checked before it is stored.
      const ratesInUse = inUse(selectedRates);
      await workspace.required().withSession((session) => writeStoredRates(session, selectedRates));
      return ratesInUse;
    },
    'rates.remove': async () => {
      await workspace.required().withSession((session) => writeStoredRates(session, null));
      return {};
    },
  };
}

/** @throws ProblemError rates.invalid */
function inUse({ name, text }: StoredRates): RatesInUse {
  const { currency, lines, oldest, newest, isUpper } = parseRates(text);
  return { name, currency, lines, oldest, newest, is_upper: isUpper };
}
