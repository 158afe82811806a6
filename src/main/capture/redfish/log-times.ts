import { type Json, textOf } from '../../sources/redfish/format.ts';

/** When a log entry was created, milliseconds since 1970; 0 if it has no time. */
export const createdMs = (entry: Json): number => {
  const time = Date.parse(textOf(entry['Created']));
  return Number.isNaN(time) ? 0 : time;
};
