import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import { isQualified, type LimitChange } from '../../../model/telemetry/event-details.ts';
import { xidMeaning } from '../../../model/telemetry/xid-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';

/** Share of the usual harm of an Xid, by what NVIDIA's catalogue says it is about. */
const byClass: Readonly<Record<string, number>> = {
  application: 0.4,
  consequence: 0.15,
  information: 0.1,
  driver: 0.7,
};

/** Software thermal slowdown (NVML 0x20) trims the clocks, the hardware's (0x40) halves them and more. */
const HARM_OF_TRIMMING = 0.6;
const HARMLESS = 0.15;

/** A limit lowered by less than a tenth is the policy of an ordinary day. */
const MILD = 0.1;
export const isMildCap = ({ from, to }: LimitChange): boolean => from - to < MILD * from;

/** Whether a record itself states that there is no trouble: a test, redundancy that is kept, a limit lowered a little. */
export function isHarmless(event: EventFact): boolean {
  const { type, details } = event;
  if (details.limit && isCap(type) && isMildCap(details.limit)) return true;
  return isQualified(event, ...(eventEntry(type)?.harmlessWhen ?? []));
}

const isCap = (type: string): boolean => type === 'cpu_power_cap' || type === 'power_cap_applied';

/** How much of the usual harm of its type an event can do, 0 to 1: some Xids are gossip, others lose a GPU. */
export function severityWeight(event: EventFact): number {
  if (isHarmless(event)) return HARMLESS;
  if (event.type === 'thermal_throttle') return isQualified(event, 'software_slowdown') ? HARM_OF_TRIMMING : 1;
  const meaning = event.details.xid === undefined ? undefined : xidMeaning(event.details.xid);
  return meaning ? (byClass[meaning.class] ?? 1) : 1;
}

/** Whether an event of this type, where it does harm, is felt as less work and less power of the machine that it happened to. */
export const limitsPerformance = ({ type }: EventFact): boolean => eventEntry(type)?.limitsPerformance === true;

/** Whether it is the orchestrator that reports such events, which knows nodes and pods and no machines. */
export const isOrchestrators = (type: string): boolean => eventEntry(type)?.layer === 'orchestrator';

/** Whether an event is about links of what it happened to, and only about those that it names. */
export const isOfLinks = ({ type }: EventFact): boolean => type === 'link_down' || type === 'link_flap';
