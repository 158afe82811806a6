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

/** Software thermal slowdown (NVML 0x20) trims the clocks, the hardware's (0x40) halves them and more. */
const BY_SOFTWARE = /\bsoftware thermal|\bsw.?therm|\b0x0*20\b/i;
const HARM_OF_TRIMMING = 0.6;

interface Spared {
  readonly types: ReadonlySet<string>;
  readonly words: RegExp;
}

/** What records say of trouble that harms nobody yet, in the words of those that write them. */
const spared: readonly Spared[] = [
  // A drive that will fail still answers (Redfish `PredictiveFailure`, ATA SMART thresholds).
  { types: new Set(['drive_failure']), words: /\bpredict/i },
  // Corrected errors cost nothing but attention (Linux `mce: ... Corrected error`, AER `severity=Corrected`).
  {
    types: new Set(['machine_check', 'memory_error', 'ecc_error', 'pcie_error']),
    words: /(?<!\b(?:un-?|(?:not|cannot) (?:be )?))\bcorrect(?:ed|able)\b/i,
  },
  // The others carry on (IPMI "Fully Redundant", Redfish redundancy status).
  {
    types: new Set(['fan_failure', 'cooling_failure', 'psu_failure']),
    words:
      /\b(?:redundancy (?:kept|maintained|ok)|still redundant|(?<!\b(?:not|from|longer) )fully redundant|took over)\b/i,
  },
  // Nothing that serves hangs on it.
  {
    types: new Set(['link_down', 'link_flap', 'outlet_off']),
    words: /\b(?:unused|(?<!\bno )spare|out-of-band|oob|management (?:port|interface))\b/i,
  },
];
const HARM_OF_NO_ACCOUNT = 0.15;

/** A limit before and after, as importers write it of their own measurements and controllers in their messages. */
const LIMITS = /([\d.]+) W\s*(?:->|to)\s*([\d.]+) W/;

export interface LimitChange {
  readonly from: number;
  readonly to: number;
}

/** What a record of a power limit says that it was before and after, W; undefined where it does not. */
export function limitChange({ message }: Pick<EventFact, 'message'>): LimitChange | undefined {
  const [, from, to] = LIMITS.exec(message) ?? [];
  return from === undefined || to === undefined ? undefined : { from: Number(from), to: Number(to) };
}

/** A limit lowered by less than a tenth is the policy of an ordinary day. */
const MILD = 0.1;
export const isMildCap = ({ from, to }: LimitChange): boolean => from - to < MILD * from;
const CAPS: ReadonlySet<string> = new Set(['cpu_power_cap', 'power_cap_applied']);

/** Whether a record itself says that it tells of no trouble: a test, redundancy that is kept, a limit lowered a little. */
export function isOfNoAccount(event: EventFact): boolean {
  if (event.type === 'ups_transfer') return SELF_TEST.test(event.message);
  const change = CAPS.has(event.type) ? limitChange(event) : undefined;
  if (change && isMildCap(change)) return true;
  return spared.some(({ types, words }) => types.has(event.type) && words.test(event.message));
}

/** How much of the usual harm of its type an event can do, 0 to 1: some Xids are gossip, others lose a GPU. */
export function seriousness(event: EventFact): number {
  if (isOfNoAccount(event)) return HARM_OF_NO_ACCOUNT;
  if (event.type === 'thermal_throttle') return BY_SOFTWARE.test(event.message) ? HARM_OF_TRIMMING : 1;
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

/** Whether it is the orchestrator that tells of such events, which knows nodes and pods and no machines. */
export const isOrchestrators = (type: string): boolean => /^(node|pod|kubernetes|health_check|mount)_/.test(type);

/** Ports in the plural, or a range or list of them. */
const SEVERAL_PORTS = /\bports\b|\bports? +\d+ *(?:-|,|to\b|and\b)/i;

/** Whether an event is about links of what it happened to, and only about those that it names. */
export const isOfLinks = ({ type }: EventFact): boolean => type === 'link_down' || type === 'link_flap';
export const isOfSeveralPorts = ({ message }: EventFact): boolean => SEVERAL_PORTS.test(message);
