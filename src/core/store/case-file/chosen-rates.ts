import { z } from 'zod';
import type { Session } from '../../../model/storage/engine.ts';
import { one } from './case-file.ts';

/** The key in meta under which a case keeps the prices that its reports use. They are the investigator's: no bundle takes them along. */
export const CHOSEN_RATES = 'rates';

const chosenSchema = z.object({ name: z.string(), text: z.string() });
/** A catalog of prices as it was chosen: what its file is called, and its YAML. */
export type ChosenRates = z.infer<typeof chosenSchema>;

export async function readChosenRates(session: Session): Promise<ChosenRates | null> {
  const found = await one<{ value: string }>(session, 'select value from meta where key = $1', [CHOSEN_RATES]);
  if (!found) return null;
  try {
    return chosenSchema.safeParse(JSON.parse(found.value)).data ?? null;
  } catch {
    return null;
  }
}

/** null: none from here on. */
export async function writeChosenRates(session: Session, chosen: ChosenRates | null): Promise<void> {
  if (chosen === null) await session.query('delete from meta where key = $1', [CHOSEN_RATES]);
  else await session.query('insert or replace into meta values ($1, $2)', [CHOSEN_RATES, JSON.stringify(chosen)]);
}
