import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { normalizePciAddress } from '../../../model/telemetry/gpu-identity.ts';
import { xidMeaning, xidSeverity } from '../../../model/telemetry/xid-catalog.ts';

/** What a kernel line is about. */
export type Subject =
  | { readonly kind: 'gpu'; readonly pci: string }
  | { readonly kind: 'nvswitch' | 'device'; readonly pci: string }
  | { readonly kind: 'nic'; readonly name: string }
  | { readonly kind: 'cpu'; readonly index: string }
  | { readonly kind: 'server' };

export interface KernelEvent {
  readonly type: EventType;
  readonly severity: Severity;
  readonly subject: Subject;
  readonly message: string;
  /** Xid, SXid, process, and whatever else the line states. */
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface Rule {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => KernelEvent | undefined;
}

const server = { kind: 'server' } as const;
const ADDRESS = '((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\\.[0-7])?)';
const simple = (
  pattern: RegExp,
  type: EventType,
  severity: Severity,
  attributes: (match: RegExpExecArray) => Record<string, string> = () => ({}),
): Rule => ({
  pattern,
  read: (match) => ({ type, severity, subject: server, message: match[0], attributes: attributes(match) }),
});

function xid(address: string, code: number, text: string): KernelEvent | undefined {
  const pci = normalizePciAddress(address);
  if (pci === '' || !(code > 0 && code < 100_000)) return undefined;
  const known = xidMeaning(code);
  return {
    type: 'xid_error',
    severity: xidSeverity(code),
    subject: { kind: 'gpu', pci },
    message: `Xid ${code}${known ? `: ${known.meaning}` : ''}`,
    attributes: {
      xid: code,
      ...(known ? { meaning: known.meaning, class: known.class, action: known.action } : {}),
      ...processOf(text),
      detail: text,
    },
  };
}

function processOf(text: string): Record<string, string> {
  const pid = /\bpid='?(\d+)/.exec(text)?.[1];
  const name = /\bname=([^,<\s]+)/.exec(text)?.[1];
  return { ...(pid ? { pid } : {}), ...(name ? { process: name } : {}) };
}

const gpuRules: readonly Rule[] = [
  {
    pattern: new RegExp(`NVRM: Xid \\((?:PCI:)?${ADDRESS}\\): (\\d+)\\b(?:, )?(.*)`),
    read: ([, address = '', code = '', text = '']) => xid(address, Number(code), text),
  },
  {
    // The driver says so without a number when the GPU no longer answers at all: the catalogue's 79.
    pattern: new RegExp(`NVRM: GPU (?:at )?(?:PCI:)?${ADDRESS}: (GPU has fallen off the bus.*)`),
    read: ([, address = '', text = '']) => xid(address, 79, text),
  },
  {
    pattern: new RegExp(`SXid \\((?:PCI:)?${ADDRESS}\\): (\\d+), (.*)`),
    read: ([, address = '', code = '', text = '']) => ({
      type: 'nvswitch_error',
      severity: /^fatal/i.test(text) ? 'high' : 'medium',
      subject: { kind: 'nvswitch', pci: normalizePciAddress(address) },
      message: `SXid ${code}: ${text}`,
      attributes: { sxid: Number(code), detail: text },
    }),
  },
  {
    pattern: /(?:NVRM|nvidia-nvlink|knvlink)\b.*\bnvlink\b.*\b(?:error|fault|failed|down)\b.*/i,
    read: ([text = '']) => {
      const pci = normalizePciAddress(new RegExp(ADDRESS).exec(text)?.[1] ?? '');
      const subject = pci === '' ? server : ({ kind: 'gpu', pci } as const);
      return { type: 'nvlink_error', severity: 'medium', subject, message: text, attributes: {} };
    },
  },
];

function pcie(address: string, severityText: string, text: string): KernelEvent {
  const corrected = /^correct/i.test(severityText);
  const fatal = /fatal/i.test(severityText) && !/non-fatal/i.test(severityText);
  return {
    type: 'pcie_error',
    severity: corrected ? 'low' : fatal ? 'critical' : 'high',
    subject: { kind: 'device', pci: normalizePciAddress(address) },
    message: text,
    attributes: { aer_severity: severityText },
  };
}

const busRules: readonly Rule[] = [
  {
    pattern: new RegExp(
      `AER: (?:Multiple )?(Correct\\w+|Uncorrect\\w+(?: \\([\\w-]+\\))?) error (?:message )?received(?: from|:)\\s*(?:id=)?${ADDRESS}`,
    ),
    read: ([text = '', severity = '', address = '']) => pcie(address, severity, text),
  },
  {
    pattern: new RegExp(`${ADDRESS}: PCIe Bus Error: severity=([\\w ()-]+?),.*`),
    read: ([text = '', address = '', severity = '']) => pcie(address, severity, text),
  },
];

const machineRules: readonly Rule[] = [
  simple(/EDAC .*\b(UE|uncorrect\w*)\b.*/i, 'memory_error', 'high'),
  simple(/EDAC .*\b(CE|correct\w*)\b.*/i, 'memory_error', 'low'),
  {
    pattern: /\[Hardware Error\]: (.*)|Machine check events logged/,
    read: ([text = '', detail = '']) => ({
      type: 'machine_check',
      severity: /uncorrect|fatal|PCC/i.test(detail) ? 'high' : 'medium',
      subject: server,
      message: text,
      attributes: {},
    }),
  },
  simple(
    /(?:Out of memory|out of memory): Kill(?:ed)? process (\d+) \(([^)]*)\).*/,
    'out_of_memory',
    'high',
    (match) => ({
      pid: match[1] ?? '',
      process: match[2] ?? '',
    }),
  ),
  simple(/oom-kill:constraint=\w+.*\btask=([^,]+),pid=(\d+).*/, 'out_of_memory', 'high', (match) => ({
    process: match[1] ?? '',
    pid: match[2] ?? '',
  })),
  {
    pattern: /CPU(\d+): (?:Core|Package) temperature above threshold.*/,
    read: ([text = '', index = '']) => ({
      type: 'thermal_throttle',
      severity: 'medium',
      subject: { kind: 'cpu', index },
      message: text,
      attributes: {},
    }),
  },
  {
    pattern: /CPU(\d+): (?:Core|Package) temperature(?:\/speed)? normal.*/,
    read: ([text = '', index = '']) => ({
      type: 'throttle_ended',
      severity: 'low',
      subject: { kind: 'cpu', index },
      message: text,
      attributes: {},
    }),
  },
  simple(/Kernel panic - not syncing.*/, 'host_degradation', 'critical'),
  simple(/(?:watchdog: )?BUG: (?:soft|hard) lockup.*/, 'host_degradation', 'high'),
  simple(/INFO: task (\S+):(\d+) blocked for more than \d+ seconds.*/, 'process_event', 'medium', (match) => ({
    process: match[1] ?? '',
    pid: match[2] ?? '',
  })),
  simple(/(?:blk_update_request: )?I\/O error, dev (\S+),.*/, 'drive_failure', 'medium'),
  simple(/nvme\d*.*: (?:I\/O .* timeout|controller is down).*/, 'drive_failure', 'medium'),
  simple(/^Linux version \S+.*/, 'host_rebooted', 'low'),
];

const networkRules: readonly Rule[] = [
  {
    pattern: /(?:^|[\s:])([a-z][\w.-]*\d[\w.-]*): (?:NIC )?[Ll]ink (?:is )?(?:[Dd]own|DOWN)\b.*/,
    read: ([text = '', name = '']) => ({
      type: 'link_down',
      severity: 'high',
      subject: { kind: 'nic', name },
      message: text.trim(),
      attributes: {},
    }),
  },
  {
    pattern: /(?:^|[\s:])([a-z][\w.-]*\d[\w.-]*): (?:NIC )?[Ll]ink (?:is )?(?:[Uu]p|UP)\b.*/,
    read: ([text = '', name = '']) => ({
      type: 'link_up',
      severity: 'low',
      subject: { kind: 'nic', name },
      message: text.trim(),
      attributes: {},
    }),
  },
];

const rules: readonly Rule[] = [...gpuRules, ...busRules, ...machineRules, ...networkRules];

/** What a kernel message says happened; undefined for the great majority that say nothing of the kind. */
export function readMessage(message: string): KernelEvent | undefined {
  for (const { pattern, read } of rules) {
    const match = pattern.exec(message);
    const event = match ? read(match) : undefined;
    if (event) return event;
  }
  return undefined;
}

const IDENTITY = new RegExp(`NVRM: GPU at (?:PCI:)?${ADDRESS}: (GPU-[0-9a-fA-F-]{8,})`);

/** `NVRM: GPU at PCI:0000:9b:00: GPU-5096…`: which GPU an address means. */
export function readIdentity(message: string): { readonly pci: string; readonly uuid: string } | undefined {
  const match = IDENTITY.exec(message);
  return match ? { pci: normalizePciAddress(match[1]!), uuid: match[2]! } : undefined;
}

/** `setting system clock to 2024-05-01T10:00:00 UTC (1714557600)`: what the wall clock said at this point of the boot. */
export function readSystemClock(message: string): bigint | undefined {
  const match = /setting system clock to .*\((\d{9,10})\)/.exec(message);
  return match ? BigInt(match[1]!) * 1_000_000_000n : undefined;
}
