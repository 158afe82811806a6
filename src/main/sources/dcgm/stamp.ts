import { parseLocalTime } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { Nanos } from '../../../model/time.ts';

const STAMP = /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?) ?(Z|UTC|[+-]\d\d:?\d\d)?\]?(?:[:,]?\s+|$)/;

export interface Stamped {
  readonly time_ns: Nanos;
  /** Whether the line states its zone. */
  readonly zoned: boolean;
  readonly rest: string;
}

/** The time that a logger such as `ts` put before a line (dcgmi itself prints none); undefined when there is none. */
export function stamped(line: string, zone: string): Stamped | undefined {
  const match = STAMP.exec(line);
  if (!match) return undefined;
  const [whole, text = '', stated] = match;
  try {
    const time_ns = parseLocalTime(text, stated ?? zone);
    return { time_ns, zoned: stated !== undefined, rest: line.slice(whole.length) };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
