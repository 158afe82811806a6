import { parseLocalTime } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import { type Nanos, parseTime } from '../../../model/time.ts';
import { textOf } from './format.ts';

/** A controller whose clock was never set reports 1970, 2000 or the year of its firmware; Redfish is from 2015. */
const SENSIBLE_NS = 1_136_073_600_000_000_000n;

/**
 * A time as controllers write them: with a zone, or without zone and seconds (`2012-03-07T14:45`). Undefined for
 * 1970, `0000-00-00T00:00:00Z` and other times of a clock that was not set.
 */
export function sensibleTime(
  value: unknown,
  { zone, remark }: { readonly zone: string; readonly remark: (text: string) => void },
): Nanos | undefined {
  const text = textOf(value);
  if (text === '') return undefined;
  const time = attempt(() => parseTime(text)) ?? local(text, zone, remark);
  return time !== undefined && time >= SENSIBLE_NS ? time : undefined;
}

function local(text: string, zone: string, remark: (text: string) => void): Nanos | undefined {
  const [, withoutZone = '', stated] = /^(.*?)\s*(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const time = attempt(() => parseLocalTime(withoutZone, stated === 'Z' ? 'UTC' : (stated ?? zone)));
  if (time !== undefined && stated === undefined) remark(`times have no zone: read as ${zone}`);
  return time;
}

function attempt(work: () => Nanos): Nanos | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
