import { unwrap } from '../log-lines/envelope.ts';
import { readLine } from '../log-lines/grammars.ts';

const DATE_AND_TIME = /^\[?\d{4}[-/.]\d{2}[-/.]\d{2}[T _]\d{2}:\d{2}:\d{2}/;

/**
 * Whether a line of text begins with a date and a time, outside of any envelope: whatever came before has ended then, so that a file can
 * be cut here.
 */
export function beginsAnew(line: string): boolean {
  if (!DATE_AND_TIME.test(line)) return false;
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return unwrap(text).time_ns === undefined && readLine(text)?.moment !== undefined;
}
