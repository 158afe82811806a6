import { readFile } from 'node:fs/promises';

/**
 * Datagrams that the kernel dropped because the socket of this port had no room (Documentation/networking: the last
 * column of /proc/net/udp). 0 where it cannot be known.
 */
export async function kernelDrops(port: number, isSix: boolean): Promise<number> {
  const table = await readFile(`/proc/net/udp${isSix ? '6' : ''}`, 'utf8').catch(() => '');
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = table.split('\n').find((row) => row.trim().split(/\s+/)[1]?.endsWith(suffix));
  return Number(line?.trim().split(/\s+/).at(-1)) || 0;
}
