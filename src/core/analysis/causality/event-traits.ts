import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import { isQualified, type LimitChange } from '../../../model/telemetry/event-details.ts';
import { type XidClass, xidMeaning } from '../../../model/telemetry/xid-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { causality } from './parameters.ts';

/** Share of the usual harm of an Xid, by its category in NVIDIA's catalogue. */
function xidHarmShare(kind: XidClass): number {
  const shares: Partial<Record<XidClass, number>> = {
    application: causality.applicationHarmShare,
    consequence: causality.consequenceHarmShare,
    information: causality.informationHarmShare,
    driver: causality.driverHarmShare,
  };
  return shares[kind] ?? 1;
}

export const isMildCap = ({ from, to }: LimitChange): boolean => from - to < causality.mildCapShare * from;

/** Whether a record itself reports no fault: a test, redundancy maintained, a slightly lowered limit. */
export function isHarmless(event: EventFact): boolean {
  const { type, details } = event;
  if (details.limit && isCap(type) && isMildCap(details.limit)) return true;
  return isQualified(event, ...(eventEntry(type)?.harmlessWhen ?? []));
}

const isCap = (type: string): boolean => type === 'cpu_power_cap' || type === 'power_cap_applied';

/** Share of the harm of its type that an event can do, 0 to 1: some Xids are harmless, others lose a GPU. */
export function severityWeight(event: EventFact): number {
  if (isHarmless(event)) return causality.harmlessHarmShare;
  if (event.type === 'thermal_throttle')
    return isQualified(event, 'software_slowdown') ? causality.trimmingHarmShare : 1;
  const meaning = event.details.xid === undefined ? undefined : xidMeaning(event.details.xid);
  return meaning ? xidHarmShare(meaning.class) : 1;
}

/** Whether harm of this event type shows as less load and power of the machine. */
export const limitsPerformance = ({ type }: EventFact): boolean => eventEntry(type)?.limitsPerformance === true;

/** Whether the orchestrator reports such events; it knows nodes and pods but no machines. */
export const isOrchestrators = (type: string): boolean => eventEntry(type)?.layer === 'orchestrator';

/** Whether an event concerns only the links that it names. */
export const isOfLinks = ({ type }: EventFact): boolean => type === 'link_down' || type === 'link_flap';
