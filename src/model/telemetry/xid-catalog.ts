import type { Severity } from '../entity.ts';

/** What an Xid is about, for correlation. `consequence`: it follows an earlier error and is never a first cause. */
export type XidClass =
  | 'application'
  | 'driver'
  | 'firmware'
  | 'hardware'
  | 'memory'
  | 'link'
  | 'bus'
  | 'power'
  | 'consequence'
  | 'information';

export interface XidMeaning {
  readonly meaning: string;
  readonly class: XidClass;
  /** The immediate action that NVIDIA's Xid catalogue names. */
  readonly action: string;
}

const entries: readonly (readonly [codes: string, meaning: string, kind: XidClass, action: string])[] = [
  ['8', 'channel idle timeout, the GPU stopped processing', 'driver', 'restart the application'],
  ['11 25 32 80', 'invalid or corrupted push-buffer data', 'application', 'restart the application'],
  ['13', 'graphics engine exception', 'application', 'restart the application'],
  ['31', 'memory page fault: illegal address', 'application', 'restart the application'],
  ['37 38', 'driver firmware error', 'driver', 'ignore'],
  ['39-41 70-72 75-77 85 126-135', 'copy engine exception', 'application', 'restart the application'],
  ['43', 'the GPU stopped processing this application', 'consequence', 'ignore'],
  ['44', 'fault during a context switch', 'driver', 'ignore'],
  ['45', 'preemptive cleanup after an earlier error', 'consequence', 'look at the error before it'],
  ['46', 'the GPU stopped processing', 'hardware', 'reset the GPU'],
  ['48', 'double-bit ECC error', 'memory', 'drain the node and reset the GPU'],
  ['54', 'auxiliary power is not connected', 'power', 'check the power cables'],
  [
    '60 68 82-84 86 88-89 96-105 139 142',
    'video, JPEG or optical flow engine exception',
    'application',
    'restart the application',
  ],
  ['62', 'internal micro-controller halt', 'firmware', 'reset the GPU'],
  ['63', 'row remapping or page retirement recorded', 'memory', 'none'],
  ['64', 'row remapping or page retirement failed', 'memory', 'reset the GPU'],
  ['66 67', 'illegal access by the driver', 'driver', 'ignore'],
  ['69', 'graphics engine class error', 'application', 'restart the application'],
  ['74', 'NVLink error', 'link', 'check the link'],
  ['78', 'vGPU start error', 'information', 'update'],
  ['79', 'the GPU has fallen off the bus', 'bus', 'restart the machine'],
  ['92', 'high rate of single-bit ECC errors', 'memory', 'none'],
  ['93', 'InfoROM wear', 'information', 'none'],
  ['94', 'contained memory error', 'memory', 'restart the application'],
  ['95', 'uncontained memory error', 'memory', 'reset the GPU'],
  ['106 107', 'SMBPBI test message', 'information', 'ignore'],
  ['109', 'context switch timeout', 'driver', 'reset the GPU'],
  ['110', 'security fault', 'firmware', 'reset the GPU'],
  ['119', 'GSP RPC timeout', 'firmware', 'reset the GPU'],
  ['120', 'GSP error', 'firmware', 'reset the GPU'],
  ['121', 'C2C link error', 'link', 'none'],
  ['136', 'link training failed', 'link', 'reset the GPU'],
  ['137', 'NVLink privilege error', 'link', 'none'],
  ['140', 'unrecovered ECC error', 'memory', 'reset the GPU'],
  ['141', 'CUDA fast-path error', 'application', 'ignore'],
  ['143', 'GPU initialisation error', 'hardware', 'reset the GPU'],
  ['144-150', 'NVLink 5 error', 'link', 'NVLink 5 workflow'],
  ['151', 'key rotation error', 'information', 'restart the virtual machine'],
  ['152 153', 'DLA error', 'application', 'ignore'],
  ['154', 'recovery action changed', 'consequence', 'follow the message'],
  ['155', 'NVLink software-defined error', 'link', 'reset the GPU'],
  ['156', 'resource retirement event', 'memory', 'reset the GPU'],
  ['157', 'resource retirement failed', 'memory', 'none'],
  ['158', 'fatal timeout', 'hardware', 'reset the GPU'],
  ['159', 'CHI non-data error', 'hardware', 'check'],
  ['160', 'channel retirement event', 'memory', 'none'],
  ['161', 'channel retirement failed', 'memory', 'none'],
  ['162-165', 'power smoothing circuitry changed its state', 'power', 'none'],
  ['166 170', 'secure NVLink or confidential-computing traffic', 'information', 'none'],
  ['167', 'PCIe fatal timeout', 'bus', 'none'],
  ['168', 'reduced memory capacity', 'memory', 'none'],
  ['169', 'SEC2 halt', 'firmware', 'none'],
  ['171 172', 'memory detail of an Xid 48', 'memory', 'none'],
];

const catalog = new Map<number, XidMeaning>(
  entries.flatMap(([codes, meaning, kind, action]) =>
    codes.split(' ').flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => [first + i, { meaning, class: kind, action }] as const);
    }),
  ),
);

/** NVIDIA's Xid catalogue (GPU deployment and management documentation), grouped; undefined for codes it calls unused. */
export const xidMeaning = (code: number): XidMeaning | undefined => catalog.get(code);

const grave: ReadonlySet<XidClass> = new Set(['hardware', 'bus', 'power', 'firmware']);

/** How loudly an Xid speaks: losing a GPU is critical, a consequence of something else is low. */
export function xidSeverity(code: number): Severity {
  if (code === 79) return 'critical';
  const { class: kind, action } = catalog.get(code) ?? { class: 'driver' as const, action: '' };
  if (grave.has(kind) || /reset|drain/.test(action)) return 'high';
  if (kind === 'consequence' || kind === 'information' || action === 'ignore') return 'low';
  return 'medium';
}
