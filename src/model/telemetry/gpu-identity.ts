import type { Alias } from '../entity.ts';

/** Identity of a GPU in a record; every part may be missing. */
export interface GpuNames {
  /** `GPU-8f2a…`, and `MIG-…` for a slice of one. */
  readonly uuid?: string | undefined;
  /** Host that the index and the bus address count on. */
  readonly host?: string | undefined;
  readonly index?: number | string | undefined;
  /** In any notation: `00000000:9B:00.0`, `0000:9b:00`, `9b:00.0`. */
  readonly pci?: string | undefined;
}

const PCI = /^(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.[0-7])?$/i;

/** `0000:9b:00`: domain, bus and device in lower case, as the kernel's Xid lines write it; '' when it is no address. */
export function normalizePciAddress(text: string): string {
  const match = PCI.exec(text.trim().replace(/^PCI:/i, ''));
  if (!match) return '';
  const [, domain = '0', bus = '', device = ''] = match;
  return `${Number.parseInt(domain, 16).toString(16).padStart(4, '0')}:${bus.toLowerCase().padStart(2, '0')}:${device.toLowerCase().padStart(2, '0')}`;
}

/**
 * The id of a GPU and its other names. The UUID is the id wherever it is known; an index or a bus address names a
 * GPU only together with its host: `node-3/gpu0`, `node-3/pci-0000:9b:00`. Undefined when nothing names it.
 */
export function identifyGpu({
  uuid,
  host,
  index,
  pci,
}: GpuNames): { readonly id: string; readonly aliases: Alias[] } | undefined {
  const address = pci ? normalizePciAddress(pci) : '';
  const names: Alias[] = [];
  if (uuid) names.push({ kind: 'gpu_uuid', name: uuid });
  if (host && index !== undefined && index !== '') names.push({ kind: 'gpu_index', name: `${host}/gpu${index}` });
  if (host && address) names.push({ kind: 'pci_address', name: `${host}/pci-${address}` });
  const [first] = names;
  if (first) return { id: first.name, aliases: names.slice(first.kind === 'gpu_uuid' ? 0 : 1) };
  // Without a host the name holds within one file at best; it is kept as it stands.
  const id = address ? `pci-${address}` : index !== undefined && index !== '' ? `gpu${index}` : '';
  return id === '' ? undefined : { id: id, aliases: [] };
}
