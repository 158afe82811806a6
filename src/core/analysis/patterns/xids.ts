import type { CaseFacts, PatternEvent } from './case-facts.ts';

/** The number of an Xid, as the record states it or its message says it; undefined for anything else. */
export function xidOf({ type, attributes, message }: PatternEvent): number | undefined {
  if (type !== 'xid_error') return undefined;
  const stated = Number(attributes['xid'] ?? /\bXid\D{0,3}(\d{1,3})\b/i.exec(message)?.[1]);
  return Number.isInteger(stated) && stated > 0 ? stated : undefined;
}

export const xids = (facts: CaseFacts, codes: ReadonlySet<number>): PatternEvent[] =>
  facts.of('xid_error').filter((event) => codes.has(xidOf(event) ?? 0));

/** The Xids of these events, each once. */
export const codesOf = (events: readonly PatternEvent[]): number[] =>
  [...new Set(events.flatMap((event) => xidOf(event) ?? []))].sort((a, b) => a - b);

/** Whether the driver itself said so, whose log NVML does not show. */
export const isFromLog = ({ origin }: PatternEvent): boolean => origin !== 'derived' && origin !== 'nvml';
