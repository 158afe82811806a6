import type { CaseInfo } from '../../model/contract/index.ts';
import { parseTime } from '../../model/time.ts';
import { type Core, type Invocation, text } from './commands/command.ts';

/** Options of commands that answer about a time of a case. */
export const windowOptions = { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `--from` and `--to`, or else the impact of the strongest incident; null: neither. */
export async function incidentOrWindow(invocation: Invocation, core: Core, info: CaseInfo) {
  if (text(invocation, 'from') !== null || text(invocation, 'to') !== null) return caseWindow(invocation, info);
  const [strongest] = await core.api['incidents.list']({});
  return strongest ? { start_ns: strongest.onset_earliest_ns, end_ns: strongest.end_ns + 1n } : null;
}

/** `--from` and `--to`, or else all of the case; the end is not part of it. */
export function caseWindow(invocation: Invocation, { first_ns, last_ns }: Pick<CaseInfo, 'first_ns' | 'last_ns'>) {
  const time = (name: string): bigint | null => {
    const given = text(invocation, name);
    return given === null ? null : parseTime(given);
  };
  return { start_ns: time('from') ?? first_ns ?? 0n, end_ns: time('to') ?? (last_ns ?? 0n) + 1n };
}
