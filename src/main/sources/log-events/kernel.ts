import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { normalizePciAddress } from '../../../model/telemetry/gpu-identity.ts';
import { xidMeaning, xidSeverity } from '../../../model/telemetry/xid-catalog.ts';
import { type LogEvent, machine, type Rule } from './rule.ts';

const ADDRESS = '((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\\.[0-7])?)';
const simple = (
  needles: readonly string[],
  pattern: RegExp,
  type: EventType,
  severity: Severity,
  attributes: (match: RegExpExecArray) => Record<string, string> = () => ({}),
): Rule => ({
  needles,
  pattern,
  read: (match) => ({ type, severity, subject: machine, message: match[0], attributes: attributes(match) }),
});

const kernelOnly = (rule: Rule): Rule => ({ ...rule, kernelOnly: true });

function xid(address: string, code: number, text: string): LogEvent | undefined {
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
    needles: ['NVRM: Xid ('],
    pattern: new RegExp(`NVRM: Xid \\((?:PCI:)?${ADDRESS}\\): (\\d+)\\b(?:, )?(.*)`),
    read: ([, address = '', code = '', text = '']) => xid(address, Number(code), text),
  },
  {
    // Without a number where the GPU no longer answers at all: the catalogue's 79.
    needles: ['GPU has fallen off the bus'],
    pattern: new RegExp(`NVRM: GPU (?:at )?(?:PCI:)?${ADDRESS}: (GPU has fallen off the bus.*)`),
    read: ([, address = '', text = '']) => xid(address, 79, text),
  },
  {
    needles: ['SXid ('],
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
    needles: ['NVRM: ', 'nvlink'],
    kernelOnly: true,
    pattern: /(?:NVRM|nvidia-nvlink|knvlink)\b.*\bnvlink\b.*\b(?:error|fault|failed|down)\b.*/i,
    read: ([text = '']) => {
      const pci = normalizePciAddress(new RegExp(ADDRESS).exec(text)?.[1] ?? '');
      const subject = pci === '' ? machine : ({ kind: 'gpu', pci } as const);
      return { type: 'nvlink_error', severity: 'medium', subject, message: text, attributes: {} };
    },
  },
];

function pcie(address: string, severityText: string, text: string): LogEvent {
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
    needles: ['AER: '],
    pattern: new RegExp(
      `AER: (?:Multiple )?(Correct\\w+|Uncorrect\\w+(?: \\([\\w-]+\\))?) error (?:message )?received(?: from|:)\\s*(?:id=)?${ADDRESS}`,
    ),
    read: ([text = '', severity = '', address = '']) => pcie(address, severity, text),
  },
  {
    needles: ['PCIe Bus Error: severity='],
    pattern: new RegExp(`${ADDRESS}: PCIe Bus Error: severity=([\\w ()-]+?),.*`),
    read: ([text = '', address = '', severity = '']) => pcie(address, severity, text),
  },
];

const machineRules: readonly Rule[] = [
  simple(['EDAC '], /EDAC .*\b(UE|uncorrect\w*)\b.*/i, 'memory_error', 'high'),
  simple(['EDAC '], /EDAC .*\b(CE|correct\w*)\b.*/i, 'memory_error', 'low'),
  {
    needles: ['[Hardware Error]: ', 'Machine check events logged'],
    pattern: /\[Hardware Error\]: (.*)|Machine check events logged/,
    read: ([text = '', detail = '']) => ({
      type: 'machine_check',
      severity: /uncorrect|fatal|PCC/i.test(detail) ? 'high' : 'medium',
      subject: machine,
      message: text,
      attributes: {},
    }),
  },
  simple(
    ['ut of memory: Kill'],
    /(?:Out of memory|out of memory): Kill(?:ed)? process (\d+) \(([^)]*)\).*/,
    'out_of_memory',
    'high',
    (match) => ({
      pid: match[1] ?? '',
      process: match[2] ?? '',
    }),
  ),
  simple(
    ['oom-kill:constraint='],
    /oom-kill:constraint=\w+.*\btask=([^,]+),pid=(\d+).*/,
    'out_of_memory',
    'high',
    (match) => ({
      process: match[1] ?? '',
      pid: match[2] ?? '',
    }),
  ),
  {
    needles: ['temperature above threshold'],
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
    needles: [' temperature normal', ' temperature/speed normal'],
    pattern: /CPU(\d+): (?:Core|Package) temperature(?:\/speed)? normal.*/,
    read: ([text = '', index = '']) => ({
      type: 'throttle_ended',
      severity: 'low',
      subject: { kind: 'cpu', index },
      message: text,
      attributes: {},
    }),
  },
  simple(['Kernel panic - not syncing'], /Kernel panic - not syncing.*/, 'host_degradation', 'critical'),
  simple(
    ['BUG: soft lockup', 'BUG: hard lockup'],
    /(?:watchdog: )?BUG: (?:soft|hard) lockup.*/,
    'host_degradation',
    'high',
  ),
  simple(
    [' blocked for more than '],
    /INFO: task (\S+):(\d+) blocked for more than \d+ seconds.*/,
    'process_event',
    'medium',
    (match) => ({
      process: match[1] ?? '',
      pid: match[2] ?? '',
    }),
  ),
  simple(['I/O error, dev '], /(?:blk_update_request: )?I\/O error, dev (\S+),.*/, 'drive_failure', 'medium'),
  kernelOnly(simple(['nvme'], /nvme\d*.*: (?:I\/O .* timeout|controller is down).*/, 'drive_failure', 'medium')),
  kernelOnly(simple(['Linux version '], /^Linux version \S+.*/, 'host_rebooted', 'low')),
];

const networkRules: readonly Rule[] = [
  {
    needles: ['ink '],
    kernelOnly: true,
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
    needles: ['ink '],
    kernelOnly: true,
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

/** Lines of the Linux kernel and of NVIDIA's driver. */
export const kernelRules: readonly Rule[] = [...gpuRules, ...busRules, ...machineRules, ...networkRules];

const IDENTITY = new RegExp(`NVRM: GPU at (?:PCI:)?${ADDRESS}: (GPU-[0-9a-fA-F-]{8,})`);

/** `NVRM: GPU at PCI:0000:9b:00: GPU-5096…`: which GPU an address means. */
export function readIdentity(message: string): { readonly pci: string; readonly uuid: string } | undefined {
  const match = IDENTITY.exec(message);
  return match ? { pci: normalizePciAddress(match[1]!), uuid: match[2]! } : undefined;
}
