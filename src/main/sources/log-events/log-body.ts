/** What a body that the kernel wrote contains: as a journal entry, and behind the time and host of syslog. */
export const kernelMarks: readonly string[] = ['"_TRANSPORT":"kernel"', '"SYSLOG_IDENTIFIER":"kernel"', 'kernel: '];

const SYSLOG_KERNEL = /^(?:<\d{1,3}>)?(?:\d+ )?(?:\S+ ){0,5}kernel: (?:\[\s*\d+\.\d+\] ?)?/;
const messageKeys = ['MESSAGE', 'message', 'msg', 'log', 'body'] as const;

/**
 * The message in the body of a log record: a collector may hand over the line as it was, or the fields of a journal entry as
 * JSON object text.
 */
export function readLogBody(body: string): { readonly text: string; readonly isKernel: boolean } {
  const fields = body.startsWith('{') ? fieldsOf(body) : undefined;
  if (fields) {
    const key = messageKeys.find((name) => typeof fields[name] === 'string');
    if (key !== undefined)
      return {
        text: String(fields[key]),
        isKernel: fields['_TRANSPORT'] === 'kernel' || fields['SYSLOG_IDENTIFIER'] === 'kernel',
      };
  }
  const syslog = SYSLOG_KERNEL.exec(body);
  return syslog ? { text: body.slice(syslog[0].length), isKernel: true } : { text: body, isKernel: false };
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
