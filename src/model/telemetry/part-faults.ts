import { type EventType, eventEntry } from './event-catalog.ts';
import type { EventDetails } from './event-details.ts';
import type { MetricName } from './metric.ts';
import { xidMeaning } from './xid-catalog.ts';

/** Kinds of hardware that are bought, fail and are replaced one by one. */
export const partKinds = ['gpu', 'cpu', 'psu', 'nic', 'nvlink', 'server', 'switch', 'ups', 'pdu', 'cooling'] as const;

/** Events about the hardware itself, not about what reached it. */
const signs = [
  'gpu_lost',
  'xid_error',
  'ecc_error',
  'row_remap',
  'nvlink_error',
  'nvswitch_error',
  'memory_error',
  'machine_check',
  'pcie_error',
  'pcie_link_degraded',
  'drive_failure',
  'fan_failure',
  'psu_failure',
  'cooling_failure',
  'coolant_leak',
  'ups_battery_low',
  'link_degraded',
] as const satisfies readonly EventType[];
export const partSigns: readonly string[] = signs;

/** What was done to hardware. */
export const partWorks: readonly string[] = [
  'firmware_changed',
  'node_quarantined',
  'node_remediated',
  'node_unquarantined',
  'host_rebooted',
] satisfies readonly EventType[];

/** Counters of errors, in the order in which they are read. */
export const errorCounters = [
  'hw.gpu.ecc.uncorrected',
  'hw.gpu.ecc.corrected',
  'hw.gpu.rows.remapped.uncorrected',
  'hw.gpu.rows.remapped.corrected',
  'hw.nvlink.errors',
  'hw.gpu.pcie.replays',
  'hw.errors',
] as const satisfies readonly MetricName[];

/** Xid classes of hardware; others come from programs and drivers. */
const ofHardware: ReadonlySet<string> = new Set(['hardware', 'bus', 'power', 'firmware', 'memory']);

/** Whether an event is a failure of the part, and not an error that was corrected, remapped, only predicted, or a program's. */
export function isPartFault(type: string, { qualifiers = [], xid }: EventDetails): boolean {
  if (!partSigns.includes(type)) return false;
  if (type === 'xid_error') {
    const meaning = xid === undefined ? undefined : xidMeaning(xid);
    // Rows that were remapped in time are a repair.
    return meaning !== undefined && ofHardware.has(meaning.class) && meaning.action !== 'none';
  }
  if (type === 'row_remap') return qualifiers.includes('remap_failed');
  const harmless = eventEntry(type)?.harmlessWhen ?? [];
  return !qualifiers.some((one) => harmless.includes(one) || one === 'corrected' || one === 'predicted');
}
