import type { Occurrence } from '../engine.ts';

/** A vendor's words for events, by type; undefined: this one says nothing about it. */
export type Words = Readonly<Record<string, (one: Occurrence) => string | undefined>>;

export const idOf = (subject: string): string => subject.slice(subject.indexOf(':') + 1);
export const partOf = (subject: string): string => subject.slice(subject.lastIndexOf('/') + 1);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number): string => String(value).padStart(2, '0');

/** `May  1 14:04:18` as syslog has it, in UTC. */
export const oldStamp = (date: Date): string =>
  `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${date.toISOString().slice(11, 19)}`;
/** `2026 May  1 14:04:18.123456`, as SONiC writes. */
export const sonicStamp = (date: Date): string =>
  `${date.getUTCFullYear()} ${oldStamp(date)}.${String(date.getUTCMilliseconds()).padStart(3, '0')}${two(date.getUTCSeconds())}0`;
export const isoStamp = (date: Date): string => date.toISOString().replace('Z', '+00:00');
