import { type Nanos, nanos, parseTime } from '../../model/time.ts';

/** A time as time fields of a page have it: UTC without a zone, whole seconds. `2026-05-01T14:00:00`. */
export const utcField = (time_ns: bigint): string => new Date(Number(time_ns / 1_000_000n)).toISOString().slice(0, 19);

/** @param place what the field is called @throws ProblemError time.* */
export const fieldTime = (field: string, place: string): Nanos => nanos(parseTime(`${field}Z`, place));

/** null: none. */
export const conditionOf = (field: string): string | null => (field.trim() === '' ? null : field);

/** Names with commas between them. */
export const namesOf = (field: string): string[] =>
  field
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
