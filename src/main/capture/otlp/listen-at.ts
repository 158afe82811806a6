import type { AddressInfo, Server } from 'node:net';

/**
 * @param where `127.0.0.1:4318`, `[::1]:0`
 * @returns the same with the actual port
 */
export async function listenAt(server: Server, where: string): Promise<string> {
  const at = where.lastIndexOf(':');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(where.slice(at + 1)), where.slice(0, at).replace(/^\[|\]$/g, ''), resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
