import { fail } from '../../../model/problem.ts';

export interface JournalLine {
  readonly time_ns: bigint;
  readonly host: string;
  readonly program: string;
  readonly level: number;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Fields that have a place of their own, or only the journal's bookkeeping in them. */
const known =
  /^(?:MESSAGE|PRIORITY|_HOSTNAME|SYSLOG_IDENTIFIER|_COMM|__\w+|_SOURCE_\w+|SYSLOG_FACILITY|_BOOT_ID|_MACHINE_ID)$/;

/** Texts, numbers for bytes, and lists of them where a field was repeated. */
const isField = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && depth < 2 && value.every((one) => isField(one, depth + 1)));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * One line of `journalctl -o json` (systemd.journal-fields(7)). Times are microseconds since 1970 as text; a message
 * that is not UTF-8 comes as a list of byte values; repeated fields come as lists.
 * @throws ProblemError journal.malformed
 */
export function journalLine(text: string): JournalLine {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return fail('journal.malformed', 'malformed JSON');
  }
  if (!Object.values(entry).every((value) => isField(value, 0))) return fail('journal.malformed', 'nested too deeply');
  const time = textOf(entry._SOURCE_REALTIME_TIMESTAMP) || textOf(entry.__REALTIME_TIMESTAMP);
  if (!/^\d{1,16}$/.test(time)) return fail('journal.malformed', 'a journal entry without __REALTIME_TIMESTAMP');
  const { MESSAGE: message } = entry;
  const bytes = Array.isArray(message) && message.every((one) => typeof one === 'number');
  const level = /^[0-7]$/.test(textOf(entry.PRIORITY)) ? Number(entry.PRIORITY) : -1;
  const program =
    textOf(entry.SYSLOG_IDENTIFIER) || textOf(entry._COMM) || (entry._TRANSPORT === 'kernel' ? 'kernel' : 'unknown');
  const time_ns = BigInt(time) * 1000n;
  if (time_ns >= 2n ** 63n) return fail('journal.malformed', 'the time is out of range');
  return {
    time_ns,
    host: textOf(entry._HOSTNAME),
    program,
    level,
    message: bytes ? new TextDecoder().decode(Uint8Array.from(message as number[])) : textOf(message),
    attributes: Object.fromEntries(Object.entries(entry).filter(([key]) => !known.test(key))),
  };
}
