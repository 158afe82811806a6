import { z } from 'zod';
import type { Session } from '../../../model/storage/engine.ts';
import { one } from './case-file.ts';

/** The key in meta under which a case keeps the prices that its reports use. They are the investigator's: no bundle takes them along. */
export const RATES_KEY = 'rates';

const storedRatesSchema = z.object({ name: z.string(), text: z.string() });
/** A catalog of prices as it was chosen: what its file is called, and its YAML. */
export type StoredRates = z.infer<typeof storedRatesSchema>;

export async function readStoredRates(session: Session): Promise<StoredRates | null> {
  const found = await one<{ value: string }>(session, 'select value from meta where key = $1', [RATES_KEY]);
  if (!found) return null;
  try {
    return storedRatesSchema.safeParse(JSON.parse(found.value)).data ?? null;
  } catch {
    return null;
  }
}

/** null: none from here on. */
export async function writeStoredRates(session: Session, rates: StoredRates | null): Promise<void> {
  if (rates === null) await session.query('delete from meta where key = $1', [RATES_KEY]);
  else await session.query('insert or replace into meta values ($1, $2)', [RATES_KEY, JSON.stringify(rates)]);
}
