import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Network of an address, as shown in prompts. */
export type AddressKind = 'link-local' | 'private' | 'loopback' | 'public' | 'unknown';

/** RFC 3927, RFC 4291, and further addresses at which clouds return credentials of the requesting machine. */
const linkLocal = blocks([
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
]);
/** RFC 1918, RFC 6598, RFC 4193. */
const isPrivate = blocks([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['fc00::', 7],
]);
const loopback = blocks([
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
  ['::1', 128],
  ['::', 128],
]);
const metadataNames = /^(metadata|instance-data|metadata\.google\.internal|metadata\.azure\.internal)\.?$/i;
const PATIENCE_MS = 2000;

function blocks(ranges: readonly (readonly [address: string, bits: number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** The most sensitive kind of all addresses of a host; `unknown` if it cannot be resolved. */
export async function addressKind(host: string): Promise<AddressKind> {
  const hostText = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (metadataNames.test(hostText)) return 'link-local';
  const addresses = isIP(hostText) === 0 ? await addressesOf(hostText) : [hostText];
  const kinds = new Set(addresses.map(kindOf));
  const order = ['link-local', 'private', 'loopback', 'public'] as const;
  return order.find((kind) => kinds.has(kind)) ?? 'unknown';
}

function kindOf(address: string): AddressKind {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
  // A list of IPv4 subnets also matches IPv4-mapped IPv6 addresses.
  if (linkLocal.check(bare, family)) return 'link-local';
  if (isPrivate.check(bare, family)) return 'private';
  return loopback.check(bare, family) ? 'loopback' : 'public';
}

async function addressesOf(name: string): Promise<string[]> {
  const late = new Promise<never[]>((resolve) => setTimeout(() => resolve([]), PATIENCE_MS).unref());
  const found = lookup(name, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  );
  return Promise.race([found, late]);
}
