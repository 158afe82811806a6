import { isQualified, type Qualifier } from '../../../../model/telemetry/event-details.ts';
import { xidMeaning } from '../../../../model/telemetry/xid-catalog.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { codesOf, xids } from './xids.ts';

/** Xids of GPU memory that need action or report one; 92 is a rate of corrected errors. */
const MEMORY = new Set([48, 63, 64, 94, 95, 140, 156, 157, 160, 161, 171, 172]);
/** Uncontained errors, and repairs that failed: the GPU is not usable until it is reset or replaced. */
const WORST = new Set([64, 95, 140, 157, 161]);
/** A remapping that needs no action. */
const MILD = new Set([63, 156, 160]);
const REMAPPING = new Set([63, 64]);
const REMAP_METRICS = [
  'hw.gpu.rows.remap_pending',
  'hw.gpu.rows.remap_failed',
  'hw.gpu.rows.remapped.uncorrected',
  'hw.gpu.rows.remapped.corrected',
] as const;

export const memoryFault: Pattern = {
  id: 'memory-fault',
  detect: (facts) => {
    const counters = facts.of('ecc_error', 'row_remap').filter(isUncorrected);
    const memoryEvents = [...xids(facts, MEMORY), ...counters].sort((a, b) => (a.time_ns < b.time_ns ? -1 : 1));
    return episodes(memoryEvents).map((episode) => toSign(facts, episode));
  },
};

/** Corrected errors, and rows remapped for them, are normal operation. */
const isUncorrected = (event: PatternEvent): boolean =>
  isQualified(event, 'uncorrected', 'remap_pending', 'remap_failed');

function toSign(facts: CaseFacts, { events, entities, start_ns, end_ns }: Episode): Sign {
  const [first] = events;
  const codes = codesOf(events);
  const isSome = (qualifier: Qualifier) => events.some((event) => isQualified(event, qualifier));
  const failed = isSome('remap_failed');
  const parts = [
    ...codes.map((code) => `Xid ${code} (${xidMeaning(code)?.meaning ?? 'memory'})`),
    ...(events.some((event) => event.type === 'ecc_error' && isQualified(event, 'uncorrected'))
      ? ['uncorrected memory errors counted']
      : []),
    ...(isSome('rows_remapped') ? ['rows remapped after uncorrected errors'] : []),
    ...(isSome('remap_pending') ? ['row remapping pending a reset'] : []),
    ...(failed ? ['row remapping failed'] : []),
  ];
  const isWorst = failed || codes.some((code) => WORST.has(code));
  const isMild = codes.length > 0 && codes.every((code) => MILD.has(code)) && parts.length === codes.length;
  const isKnown =
    facts.isMeasured(entities, REMAP_METRICS) ||
    events.some(({ type }) => type === 'row_remap') ||
    codes.some((code) => REMAPPING.has(code));
  return {
    headline: `${first.device_id}: ${parts.join(', ') || 'uncorrected memory errors'}.`,
    severity: isWorst ? 'critical' : isMild ? 'medium' : 'high',
    start_ns,
    end_ns,
    entities,
    evidence: eventLines(events),
    missing: lacks(isKnown, 'gpu', `no row remapping state of ${first.device_id}: result of the remapping unknown`),
  };
}
