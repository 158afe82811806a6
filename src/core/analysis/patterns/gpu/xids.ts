import type { CaseFacts, PatternEvent } from '../case-facts.ts';

export const xids = (facts: CaseFacts, codes: ReadonlySet<number>): PatternEvent[] =>
  facts.of('xid_error').filter((event) => codes.has(event.details.xid ?? 0));

/** The Xids of these events, each once. */
export const codesOf = (events: readonly PatternEvent[]): number[] =>
  [...new Set(events.flatMap(({ details }) => details.xid ?? []))].sort((a, b) => a - b);

/** Whether the driver reported it in its log, which NVML does not include. */
export const isFromLog = ({ origin }: PatternEvent): boolean => origin !== 'derived' && origin !== 'nvml';
