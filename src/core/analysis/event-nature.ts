import { xidMeaning } from '../../model/xid-catalog.ts';
import type { EventFact } from '../store/reader.ts';

/** Share of the usual harm of an Xid, by what NVIDIA's catalogue says it is about. */
const byClass: Readonly<Record<string, number>> = {
  application: 0.4,
  consequence: 0.15,
  information: 0.1,
  driver: 0.7,
};

/** `NVRM: Xid (PCI:0000:9b:00): 13, ...`, and other recorders' `Xid 13`. */
const XID = /\bXid\b(?: \([^)]*\))?:? *(\d{1,3})\b/i;

/** Xids of one GPU are different things when their numbers differ; undefined for anything else. */
export const xidOf = ({ type, message }: EventFact): string | undefined =>
  type === 'xid_error' ? XID.exec(message)?.[1] : undefined;

/** A UPS that tries its battery carries the load all the while (RFC 1628 upsTest, APC's last transfer cause "self test"). */
const SELF_TEST = /\bself[- ]?test|\bbattery test/i;
const HARM_OF_TEST = 0.15;

/** A drive that will fail still answers (Redfish `PredictiveFailure`, ATA SMART thresholds). */
const PREDICTED = /\bpredict/i;
const HARM_OF_PREDICTION = 0.15;

/** How much of the usual harm of its type an event can do, 0 to 1: some Xids are gossip, others lose a GPU. */
export function seriousness(event: EventFact): number {
  if (event.type === 'ups_transfer') return SELF_TEST.test(event.message) ? HARM_OF_TEST : 1;
  if (event.type === 'drive_failure') return PREDICTED.test(event.message) ? HARM_OF_PREDICTION : 1;
  const code = xidOf(event);
  const meaning = code === undefined ? undefined : xidMeaning(Number(code));
  return meaning ? (byClass[meaning.class] ?? 1) : 1;
}

/** Clocks or power of a machine are below what its work would take (NVML clock event reasons, package limits). */
const DOWN: ReadonlySet<string> = new Set([
  'cpu_power_cap',
  'hw_slowdown',
  'power_brake',
  'power_cap_applied',
  'thermal_throttle',
]);

/** Whether an event of this type, where it does harm, is felt as less work and less power of the machine that it happened to. */
export const holdsDown = ({ type }: EventFact): boolean => DOWN.has(type);
