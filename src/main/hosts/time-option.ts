import { type Nanos, nanos, parseTime } from '../../model/time.ts';
import { type Invocation, text, UsageError } from './commands/command.ts';
import { messages } from './commands/messages/common.ts';
import { lengthOf } from './length-of-time.ts';

export const now = (): Nanos => nanos(BigInt(Date.now()) * 1_000_000n);

/** A time, `now`, or how long ago it was. */
export function timeOption(invocation: Invocation, name: string): Nanos | null {
  const given = text(invocation, name);
  if (given === null) return null;
  const ago_s = given === 'now' ? 0 : lengthOf(given.replace(/^-/, ''));
  if (ago_s !== null && !/^\d+$/.test(given)) return nanos(now() - BigInt(Math.round(ago_s * 1000)) * 1_000_000n);
  try {
    return parseTime(given, `--${name}`);
  } catch {
    throw new UsageError(messages.invalidTime(name, given));
  }
}
