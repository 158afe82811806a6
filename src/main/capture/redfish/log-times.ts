import { type Json, textOf } from '../../sources/redfish/format.ts';

/** When an entry of a log was made, milliseconds since 1970; 0 where it does not say. */
export const createdMs = (entry: Json): number => {
  const time = Date.parse(textOf(entry['Created']));
  return Number.isNaN(time) ? 0 : time;
};
