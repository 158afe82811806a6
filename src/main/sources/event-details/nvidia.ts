import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { StatedEvent } from '../../../model/telemetry/event-details.ts';
import { MOST_TEXT, type Wording } from './wording.ts';

/** `NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=python3, ...`, and other recorders' `Xid 79:`, `XID=79`, `Xid error 79`. */
const XID = /\bXid\b(?:\s*\([^)]{0,64}\))?(?:\s*(?:error|code|number))?[\s:=#]{0,4}(\d{1,3})\b/i;
/** Since driver 525 the text may come without the number. */
const FALLEN = /\bGPU has fallen off the bus\b/i;
const FALLEN_OFF_THE_BUS = 79;

/** Number of an Xid, by what the record states or else by its words. */
export function readXid({ type, message, attributes }: StatedEvent): number | undefined {
  if (type !== 'xid_error') return undefined;
  const text = message.slice(0, MOST_TEXT);
  const stated = Number(attributes['xid'] ?? XID.exec(text)?.[1] ?? (FALLEN.test(text) ? FALLEN_OFF_THE_BUS : 0));
  return Number.isInteger(stated) && stated > 0 ? stated : undefined;
}

const slowdowns: readonly EventType[] = ['thermal_throttle', 'hw_slowdown'];
const caps: readonly EventType[] = ['power_cap_applied', 'cpu_power_cap'];
const memory: readonly EventType[] = ['ecc_error', 'row_remap'];

/** Words of NVML's clocks event reasons and of its memory counters (nvml.h), as drivers and exporters write them. */
export const nvidiaWordings: readonly Wording[] = [
  { types: slowdowns, words: /\bsoftware thermal|\bsw.?therm|\b0x0*20\b/i, means: 'software_slowdown' },
  { types: slowdowns, words: /\bhardware|\bhw.?therm|\b0x0*40\b/i, means: 'hardware_slowdown' },
  { types: ['power_brake', ...caps], words: /power[ _-]?brake/i, means: 'power_brake' },
  { types: caps, words: /held down by its power limit|software power cap|sw[ _]?power[ _]?cap/i, means: 'at_limit' },
  {
    types: memory,
    words: /uncorrect|double[- ]bit|\bDBE\b|uncontain/i,
    means: 'uncorrected',
  },
  { types: memory, words: /rows remapped/i, means: 'rows_remapped' },
  { types: memory, words: /waits for a reset|pending/i, means: 'remap_pending' },
  { types: memory, words: /could not be remapped|fail/i, means: 'remap_failed' },
];
