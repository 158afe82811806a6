import type { Writer } from './rule.ts';

/** Texts in each body that the kernel wrote: as a journal entry, and behind the time and host of syslog. */
export const kernelMarks: readonly string[] = ['"_TRANSPORT":"kernel"', '"SYSLOG_IDENTIFIER":"kernel"', 'kernel: '];

/** Priority, time and host, as far as they are there, then the program. */
const SYSLOG =
  /^(?:<\d{1,3}>)?(?:\d+ )?(?:(?:[A-Z][a-z]{2}\s+\d{1,2} \d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\S+)(?:\.\d+)? \S+ )?([\w./-]+)(?:\[\d+\])?: (?:\[\s*\d+\.\d+\] ?)?/;
const HEADER = /^(?:<\d{1,3}>|[A-Z][a-z]{2}\s+\d{1,2} \d{2}:|\d{4}-\d{2}-\d{2}T)/;
const LONGEST_HEADER = 512;
const messageKeys = ['MESSAGE', 'message', 'msg', 'log', 'body'] as const;

/**
 * The message in the body of a log record, and what is known of its writer: a collector may hand over the line as it was, or the
 * fields of a journal entry as JSON object text.
 */
export function readLogBody(body: string): { readonly text: string; readonly writer: Writer } {
  const fields = body.startsWith('{') ? fieldsOf(body) : undefined;
  const key = fields && messageKeys.find((name) => typeof fields[name] === 'string');
  if (fields && key) return { text: String(fields[key]), writer: writerOf(fields) };
  const match = SYSLOG.exec(body.slice(0, LONGEST_HEADER));
  const program = match?.[1];
  if (match && (program === 'kernel' || HEADER.test(body)))
    return { text: body.slice(match[0].length), writer: program === 'kernel' ? 'kernel' : 'program' };
  return { text: body, writer: 'unknown' };
}

function writerOf(fields: Readonly<Record<string, unknown>>): Writer {
  const program = fields['SYSLOG_IDENTIFIER'];
  if (fields['_TRANSPORT'] === 'kernel' || (fields['_TRANSPORT'] === undefined && program === 'kernel'))
    return 'kernel';
  return fields['_TRANSPORT'] !== undefined || typeof program === 'string' ? 'program' : 'unknown';
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
