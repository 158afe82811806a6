import { type Nanos, nanos } from '../../model/time.ts';
import { type Invocation, text, UsageError } from './commands/command.ts';
import { messages } from './commands/messages/common.ts';
import { now, timeOption } from './time-option.ts';

/** Options of what is wanted of an archive. */
export const archiveWindowOptions = {
  from: { type: 'string' },
  to: { type: 'string' },
  services: { type: 'string' },
  where: { type: 'string' },
} as const;

/** What is wanted of an archive, besides its time. */
export interface ArchiveSelection {
  readonly services: string[];
  readonly where: string | null;
}

export interface ArchiveWindow extends ArchiveSelection {
  readonly from_ns: Nanos;
  readonly until_ns: Nanos;
}

export const archiveSelection = (invocation: Invocation): ArchiveSelection => ({
  services: (text(invocation, 'services') ?? '').split(',').filter((name) => name !== ''),
  where: text(invocation, 'where'),
});

/** @param isAnyTime without `--from` it begins at the earliest time; else `--from` is required. `--to` is now where it is left out */
export function archiveWindow(invocation: Invocation, { isAnyTime = false } = {}): ArchiveWindow {
  const from_ns = timeOption(invocation, 'from') ?? (isAnyTime ? nanos(0n) : null);
  if (from_ns === null) throw new UsageError(messages.missing('--from'));
  return { from_ns, until_ns: timeOption(invocation, 'to') ?? now(), ...archiveSelection(invocation) };
}
