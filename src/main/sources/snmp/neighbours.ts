import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { type Device, isMeaningful } from './device.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * The neighbours of a device, as both ends announce over LLDP: LLDP-MIB of IEEE 802.1AB-2005, whose lldpRemTable is
 * indexed by time mark, local port and a number. A replugged cable shows with the next walk.
 */
const LLDP = '1.0.8802.1.1.2.1';
const LOCAL_PORT = `${LLDP}.3.7.1`;
const REMOTE = `${LLDP}.4.1.1`;
/** lldpRemManAddrTable; the address is in the index, as its kind, length and octets. */
const REMOTE_ADDRESS = `${LLDP}.4.2.1`;
/** Columns that a live feed polls and that recordings retain. */
export const neighbourBranches: readonly string[] = [`${LLDP}.3.7`, `${LLDP}.4.1`, `${LLDP}.4.2`];
export const neighbourNames: Readonly<Record<string, string>> = {
  lldpLocPortIdSubtype: `${LOCAL_PORT}.2`,
  lldpLocPortId: `${LOCAL_PORT}.3`,
  lldpLocPortDesc: `${LOCAL_PORT}.4`,
  lldpRemChassisIdSubtype: `${REMOTE}.4`,
  lldpRemChassisId: `${REMOTE}.5`,
  lldpRemPortIdSubtype: `${REMOTE}.6`,
  lldpRemPortId: `${REMOTE}.7`,
  lldpRemPortDesc: `${REMOTE}.8`,
  lldpRemSysName: `${REMOTE}.9`,
  lldpRemSysDesc: `${REMOTE}.10`,
  lldpRemSysCapEnabled: `${REMOTE}.12`,
};

/** LldpPortIdSubtype: the id is the interface's name. */
const INTERFACE_NAME = 5;
/** LldpSystemCapabilitiesMap, first octet: only an end system. */
const STATION_ONLY = 0x01;
/** A switch has some hundreds; more is taken as hostile. */
const MOST_NEIGHBOURS = 4096;

interface Neighbour {
  readonly kind: EntityKind;
  readonly id: string;
  readonly address: string;
  readonly name: string;
  readonly attributes: string;
  readonly port: string;
  readonly localPort: string;
}

/** @param emitted keys of neighbours that are already written */
export function appendNeighbours(
  builder: BatchBuilder,
  walk: SnmpWalk,
  { device, self }: { readonly device: Device; readonly self: number },
  emitted: Set<string>,
): void {
  if (!walk.has(REMOTE)) return;
  for (const neighbour of neighboursOf(walk)) {
    const { address, attributes, id, kind, localPort, name, port } = neighbour;
    const key = `lldp ${localPort} ${id} ${port}`;
    if (emitted.has(key)) continue;
    emitted.add(key);
    const aliases = [
      ...(name === '' ? [] : [{ kind: 'host_name', name }]),
      ...(address === '' ? [] : [{ kind: 'ip_address', name: address }]),
    ];
    const other = builder.entity(kind, id, aliases, attributes);
    const here = builder.entity('port', `${device.id}/${localPort}`);
    const relate = (from: number, edge: 'contains' | 'connects', to: number) =>
      appendEdge(builder, { from, kind: edge, to, provenance: 'lldp' });
    relate(self, 'contains', here);
    // Failures spread from a switch to the connected devices.
    if (device.kind === 'server') relate(other, 'connects', self);
    else relate(self, 'connects', other);
    if (port === '') continue;
    const there = builder.entity(kind === 'server' ? 'nic' : 'port', `${id}/${port}`);
    relate(other, 'contains', there);
    if (device.kind === 'server') relate(there, 'connects', here);
    else relate(here, 'connects', there);
  }
}

function* neighboursOf(walk: SnmpWalk): Generator<Neighbour> {
  const addresses = addressesOf(walk);
  for (const [index, chassis] of walk.below(`${REMOTE}.5`).slice(0, MOST_NEIGHBOURS)) {
    const [, local = ''] = index.split('.');
    if (index.split('.').length !== 3) continue;
    const text = (column: number) => walk.text(`${REMOTE}.${column}.${index}`);
    const sysName = text(9);
    const name = isMeaningful(sysName) ? sysName : '';
    const address = addresses.get(index) ?? '';
    const chassisId = chassis.text.trim();
    const id = name || address || chassisId;
    if (id === '') continue;
    const isStation = capabilitiesOf(walk.get(`${REMOTE}.12.${index}`)?.text ?? '') === STATION_ONLY;
    yield {
      kind: isStation ? 'server' : 'device',
      id,
      address,
      name,
      attributes: attributesText({ chassis_id: chassisId, description: text(10) }),
      port: portName(walk.number(`${REMOTE}.6.${index}`), text(7), text(8)),
      localPort: localPortOf(walk, local),
    };
  }
}

/** Interface name as elsewhere: its name, else its description. */
const portName = (subtype: number, id: string, description: string): string =>
  subtype === INTERFACE_NAME ? id : description || id;

function localPortOf(walk: SnmpWalk, number: string): string {
  const text = (column: number) => walk.text(`${LOCAL_PORT}.${column}.${number}`);
  return portName(walk.number(`${LOCAL_PORT}.2.${number}`), text(3), text(4)) || `port-${number}`;
}

/** IPv4 addresses by the index of the neighbour. */
function addressesOf(walk: SnmpWalk): Map<string, string> {
  const found = new Map<string, string>();
  for (const column of [3, 4, 5])
    for (const [index] of walk.below(`${REMOTE_ADDRESS}.${column}`)) {
      const [, neighbour, address] = /^(\d+\.\d+\.\d+)\.1\.4\.(\d{1,3}(?:\.\d{1,3}){3})$/.exec(index) ?? [];
      if (neighbour !== undefined && address !== undefined) found.set(neighbour, address);
    }
  return found;
}

/** The first octet of a bit string, which recordings show as text if possible, else as hexadecimal pairs. */
const capabilitiesOf = (text: string): number =>
  /^[0-9a-f]{2}( [0-9a-f]{2})*\s*$/i.test(text) ? Number.parseInt(text, 16) : (text.codePointAt(0) ?? 0);
