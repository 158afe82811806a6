import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { EventDetails } from '../../../model/telemetry/event-details.ts';
import { normalizePciAddress } from '../../../model/telemetry/gpu-identity.ts';
import { type LogEvent, machine, type Rule, type Subject } from './rule.ts';

const event = (
  [type, severity]: readonly [EventType, Severity],
  text: string,
  subject: Subject = machine,
  details?: EventDetails,
): LogEvent => ({
  type,
  severity,
  subject,
  message: text.trim(),
  attributes: {},
  ...(details === undefined ? {} : { details }),
});

/** The kernel's md, NVMe and SCSI layers. */
const driveRules: readonly Rule[] = [
  {
    needles: ['md/raid', 'Disk failure on '],
    pattern: /^.*md\/raid\S{0,40}: (?:Disk failure on \S+|.*(?:not enough operational|Cannot continue operation)).*$/m,
    read: ([text]) => event(['drive_failure', 'high'], text),
  },
  {
    needles: ['nvme nvme', 'nvme'],
    kernelOnly: true,
    pattern:
      /^.*nvme\d{1,4}\S{0,10}: .{0,200}(?:Device not ready|Removing after probe failure|critical warning|failed to set APST|Abort status|resetting controller due to|controller is down).*$/im,
    read: ([text]) => event(['drive_failure', 'medium'], text),
  },
  {
    needles: ['rejecting I/O to offline device', 'Medium Error', 'Hardware Error] '],
    pattern: /^.*(?:rejecting I\/O to offline device|Sense Key : (?:Medium|Hardware) Error).*$/m,
    read: ([text]) => event(['drive_failure', 'medium'], text),
  },
];

/** smartd(8). */
const smartRules: readonly Rule[] = [
  {
    needles: ['FAILED SMART self-check', 'SMART Failure', 'SMART error (', 'unreadable (pending) sectors'],
    pattern:
      /^.*(?:FAILED SMART self-check|SMART Failure: .*|SMART error \((?:FailedHealthCheck|CurrentPendingSector|OfflineUncorrectableSector)\)|\b[1-9]\d{0,9} Currently unreadable \(pending\) sectors).*$/m,
    // What it predicts has not failed yet.
    read: ([text]) => event(['drive_failure', 'medium'], text, machine, { qualifiers: ['predicted'] }),
  },
];

const PCI = /((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/i;
/** A card is named by its interface where the line has one, else by its address. */
function cardIn(text: string): Subject {
  const name =
    /\d\.[0-7] ([a-z][\w.-]{1,30}\d[\w.-]{0,30}):/.exec(text)?.[1] ??
    /\b((?:ib|mlx5_|en|eth)\w{0,30}\d\w{0,30})[ :(]/.exec(text)?.[1];
  if (name !== undefined && !/^mlx5_(?:core|ib)/.test(name)) return { kind: 'nic', name };
  const pci = PCI.exec(text)?.[1];
  return pci === undefined ? machine : { kind: 'device', pci: normalizePciAddress(pci) };
}

/** Network cards and InfiniBand: mlx5, the kernel's watchdog, ice, bnxt_en; subnet managers write of their ports. */
const cardRules: readonly Rule[] = [
  {
    needles: ['NETDEV WATCHDOG: ', 'Tx Unit Hang', 'TX timeout'],
    pattern: /^.*(?:NETDEV WATCHDOG: \S+ .*timed out|Detected Tx Unit Hang|TX timeout).*$/m,
    read: ([text]) => event(['link_degraded', 'high'], text, cardIn(text.replace(/^.*WATCHDOG: /, ' '))),
  },
  {
    needles: ['mlx5_core '],
    pattern:
      /^.*mlx5_core .{0,200}(?:device's health compromised|Fatal error|assert_var\[0\]|health recovery flow aborted|failed recovery).*$/m,
    read: ([text]) => event(['link_down', 'high'], text, cardIn(text)),
  },
  {
    needles: ['mlx5_core '],
    pattern:
      /^.*mlx5_core .{0,200}(?:Cable unplugged|Cable error|Bad or unsupported cable|Power budget exceeded|Bus stuck).*$/m,
    read: ([text]) => event(['link_degraded', 'medium'], text, cardIn(text)),
  },
  {
    needles: ['mlx5_core '],
    pattern: /^.*mlx5_core .{0,200}High temperature.*$/m,
    read: ([text]) => event(['temperature_high', 'high'], text, cardIn(text)),
  },
  {
    needles: ['mlx5_', 'infiniband '],
    pattern:
      /^.*\b(mlx5_\d{1,3}|infiniband \w{1,30})\b.{0,80}\bPort:? \d{1,3}\b.{0,80}\b(?:link )?(down|up|DOWN|UP|Down|Up|ACTIVE)\b.*$/m,
    read: ([text, card = '', state = '']) =>
      event(/^(?:up|active)$/i.test(state) ? ['link_up', 'low'] : ['link_down', 'high'], text, {
        kind: 'nic',
        name: card.replace('infiniband ', ''),
      }),
  },
];

const DEAD =
  /\b(?:(?:does|is|did|stopped) (?:not )?respond(?:ing)?|not responding|(?:is|went) (?:dead|lost|gone)|bus error|fatal (?:error|event|health)|fatal (?:HW|hardware)|hardware failure|unrecoverable|surprise (?:down|remov)\w*|fell off the bus|lost from the bus)/i;
/** Cards, drives and GPUs have rules of their own; a corrected error is none. */
const OWN_RULES =
  /\b(?:mlx[45]\w*|nvme|NVRM|nvidia|amdgpu|ixgbe|ice|i40e|igb|bnxt_en|megaraid_sas|mpt3sas|pcieport|AER)\b|\bcorrected\b/i;

/** A device on the bus that is dead, in the words of any driver: the chip of a switch, an accelerator. */
const busRules: readonly Rule[] = [
  {
    needles: [' respond', 'us error', 'atal ', 'ardware failure', 'nrecoverable', 'urprise ', ' the bus', ' dead'],
    kernelOnly: true,
    pattern: /^.*\b[a-z]\w{1,30} (?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: .*$/im,
    read: ([text]) =>
      DEAD.test(text) && !OWN_RULES.test(text) ? event(['host_degradation', 'high'], text) : undefined,
  },
];

/** The fabric manager of NVIDIA's switches, for which the kernel writes SXids. */
const fabricRules: readonly Rule[] = [
  {
    needles: ['NVSwitch fatal error', 'NVSwitch non-fatal error', 'NVSwitch non fatal error'],
    pattern: /^.*NVSwitch (non[ -])?fatal error.*$/im,
    read: ([text, mild]) => event(['nvswitch_error', mild === undefined ? 'high' : 'medium'], text),
  },
];

/** The kernel's handling of memory that failed. */
const memoryRules: readonly Rule[] = [
  {
    needles: ['Memory failure: 0x', 'MCE: Killing '],
    pattern: /^.*(?:Memory failure: 0x\S+: (?!.*already poisoned).*|MCE: Killing .*)$/m,
    read: ([text]) => event(['memory_error', 'high'], text, machine, { qualifiers: ['uncorrected'] }),
  },
];

/** Corrected errors, as rasdaemon and mcelog count them. */
const loggedMemoryRules: readonly Rule[] = [
  {
    needles: ['Corrected memory errors ', 'corrected DIMM memory error', 'Corrected error, no action required'],
    pattern: /^.*(?:Corrected memory errors|corrected DIMM memory error count exceeded).*$/m,
    read: ([text]) => event(['memory_error', 'low'], text, machine, { qualifiers: ['corrected'] }),
  },
];

/** Drives, network cards and memory, in the words of the kernel and its drivers. */
export const driverRules: readonly Rule[] = [...driveRules, ...cardRules, ...memoryRules, ...busRules];
/** What daemons that watch hardware write: smartd, rasdaemon, the fabric manager. */
export const daemonRules: readonly Rule[] = [...smartRules, ...fabricRules, ...loggedMemoryRules];
