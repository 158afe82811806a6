import { readFile } from 'node:fs/promises';

/**
 * Datagrams that the kernel dropped because this port's socket buffer was full (Documentation/networking: the last
 * column of /proc/net/udp). 0 if unknown.
 */
export async function kernelDrops(port: number, isSix: boolean): Promise<number> {
  const table = await readFile(`/proc/net/udp${isSix ? '6' : ''}`, 'utf8').catch(() => '');
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = table.split('\n').find((row) => row.trim().split(/\s+/)[1]?.endsWith(suffix));
  return Number(line?.trim().split(/\s+/).at(-1)) || 0;
}
