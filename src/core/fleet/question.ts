import { z } from 'zod';
import { fail } from '../../model/problem.ts';
import type { TimeWindow } from '../../model/storage/archive.ts';
import type { FleetStore, FleetTable, FleetValues } from '../../model/storage/fleet-store.ts';

/** What is asked of a fleet, and of which part of it. */
export interface FleetQuestion {
  readonly store: FleetStore;
  readonly window: TimeWindow;
  /** Empty: all. */
  readonly services: readonly string[];
  readonly signal: AbortSignal;
}

export const windowValues = ({ window, services }: Pick<FleetQuestion, 'window' | 'services'>): FleetValues => ({
  from_ns: window.from_ns,
  until_ns: window.until_ns,
  only: services,
});

/** @throws ProblemError fleet.no_table */
export async function requireTable({ tables }: FleetStore, table: FleetTable, signal: AbortSignal): Promise<void> {
  if (!(await tables(signal)).has(table))
    fail('fleet.no_table', `the archive has no table of ${table}`, { hint: 'set database and the names of tables' });
}

/** Rows of a statement, as they should be. @throws ProblemError archive.refused, and those of the store */
export async function rowsOf<S extends z.ZodType>(
  row: S,
  { store, signal }: Pick<FleetQuestion, 'store' | 'signal'>,
  sql: string,
  values: FleetValues,
): Promise<z.output<S>[]> {
  return checkedRows(row, await store.query(sql, values, signal));
}

/** @throws ProblemError archive.refused */
export function checkedRows<S extends z.ZodType>(row: S, answer: readonly unknown[]): z.output<S>[] {
  const parsed = z.array(row).safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return fail(
    'archive.refused',
    `the archive answered with other columns: ${issue?.path.join('.')}: ${issue?.message}`,
  );
}

/** Of 64 bits, as text. */
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,19}$/)
  .transform(BigInt);

const listOf = (holds: (one: unknown) => boolean, what: string) =>
  z.custom<readonly number[]>((value) => Array.isArray(value) && value.every(holds), `a list of ${what} is wanted`);

/** Many numbers, checked in one loop. */
export const numbers = listOf(Number.isFinite, 'numbers');
export const wholeNumbers = listOf(Number.isSafeInteger, 'whole numbers');
