import type { Parsed, RatesInUse } from '../../../model/contract/index.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { type ChosenRates, readChosenRates, writeChosenRates } from '../../store/case-file/chosen-rates.ts';
import type { Desk } from '../desk.ts';

/** What GPUs cost, as the investigator chose it for the open case. */
export function ratesHandlers(desk: Desk) {
  return {
    'rates.get': async (): Promise<RatesInUse | null> => {
      const chosen = await desk.required().withSession(readChosenRates);
      return chosen && inUse(chosen);
    },
    'rates.choose': async (chosen: Parsed<'rates.choose'>): Promise<RatesInUse> => {
      // Before it is kept: what cannot be read replaces nothing.
      const told = inUse(chosen);
      await desk.required().withSession((session) => writeChosenRates(session, chosen));
      return told;
    },
    'rates.remove': async () => {
      await desk.required().withSession((session) => writeChosenRates(session, null));
      return {};
    },
  };
}

/** @throws ProblemError rates.invalid */
function inUse({ name, text }: ChosenRates): RatesInUse {
  const { currency, lines, oldest, newest, isUpper } = parseRates(text);
  return { name, currency, lines, oldest, newest, is_upper: isUpper };
}
