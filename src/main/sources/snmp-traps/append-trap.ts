import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import { appendEvent } from '../event-details/append-event.ts';
import type { Device } from '../snmp/device.ts';
import { resolveOid } from '../snmp/object-names.ts';
import { enterPlace } from '../snmp/row-place.ts';
import type { SnmpValue } from '../snmp/snmp-value.ts';
import { SnmpWalk } from '../snmp/walk.ts';
import { readWrittenValue } from '../snmp/written-value.ts';
import { GENERIC, SNMP_TRAPS, TRAP_ADDRESS, TRAP_ENTERPRISE, TRAP_OID, UPTIME, V1_TRAP, VARBIND } from './format.ts';
import { findTrap } from './trap-catalogue.ts';
import { kindByModule, kindByOid, meaningOf, type TrapMeaning } from './trap-meaning.ts';
import type { TrapRecord } from './trap-records.ts';

/** State while a log is read: the kind of device of each address, and the edges that are written. */
export interface TrapMemory {
  readonly kinds: Map<string, EntityKind>;
  readonly contained: Set<string>;
}

/** The content of a trap, independent of how it was received. */
export interface TrapContent {
  /** snmpTrapOID; for a v1 trap derived by RFC 3584. */
  readonly oid: string;
  /** As the log writes it. */
  readonly written: string;
  readonly enterprise: string;
  /** Hundredths of a second since the agent started; NaN if not reported. */
  readonly uptime: number;
  readonly values: SnmpWalk;
  /** By the name in the log. */
  readonly shown: Readonly<Record<string, string>>;
}

/** Where a trap came from. */
export interface TrapOrigin {
  /** '' if unknown. */
  readonly address: string;
  /** Name of the sender; '' or its address if it has none. */
  readonly host: string;
  readonly raw: string;
}

/** Why the record is no trap; undefined when it became an event. */
export function appendTrap(
  builder: BatchBuilder,
  record: TrapRecord,
  time_ns: bigint,
  memory: TrapMemory,
): string | undefined {
  const content = contentOf(record);
  if (!content) return 'a trap without snmpTrapOID and without a generic kind';
  appendTrapContent(builder, content, { ...agentOf(record, content.values), raw: record.raw, time_ns }, memory);
  return undefined;
}

/** One trap as an event of its entity. */
export function appendTrapContent(
  builder: BatchBuilder,
  { enterprise, oid, shown, uptime, values, written }: TrapContent,
  { address, host, raw, time_ns }: TrapOrigin & { readonly time_ns: bigint },
  memory: TrapMemory,
): void {
  const name = isName(host) ? host : address || host;
  const kind =
    findTrap(oid, written)?.kind ??
    kindByOid(enterprise, oid) ??
    kindByModule(written) ??
    memory.kinds.get(name) ??
    ('device' satisfies EntityKind);
  if (kind !== 'device') memory.kinds.set(name, kind);
  const aliases = [
    ...(isName(host) ? [{ kind: 'host_name', name: host }] : []),
    ...(address === '' ? [] : [{ kind: 'ip_address', name: address }]),
  ];
  const device: Device = { kind, id: name, named: true, aliases, attributes: {} };
  const meaning = meaningOf({ oid, written, shown }, values, device);
  appendEvent(builder, {
    entity: subject(builder, device, meaning, values, memory),
    time_ns,
    type: meaning.type,
    severity: meaning.severity,
    message: meaning.message,
    origin: 'snmp trap',
    attributes: {
      trap: meaning.name,
      trap_oid: oid,
      enterprise,
      agent: address,
      uptime_s: Number.isFinite(uptime) ? uptime / 100 : undefined,
      ...meaning.place?.attributes,
      values: shown,
    },
    raw,
  });
}

const isName = (host: string): boolean =>
  !/^(<UNKNOWN>|[\d.]+|[0-9a-f:]*:[0-9a-f:]*|localhost)$/i.test(host) && host !== '';

/**
 * The sender: the address that a proxy names, the agent of a v1 trap, else the source of the datagram. Only the source
 * has a name in the log.
 */
function agentOf(
  { host, source, via }: TrapRecord,
  values: SnmpWalk,
): { readonly address: string; readonly host: string } {
  const transport = addressIn(source) || addressIn(host);
  const agent = /^(?:UDP|TCP|DTLS|TLS)/i.test(via) ? '' : addressIn(via);
  const sender = [values.text(TRAP_ADDRESS), agent].find((one) => one !== '' && one !== '0.0.0.0') ?? transport;
  if (sender === transport) return { address: transport === '0.0.0.0' ? '' : transport, host };
  return { address: sender, host: sender === agent ? (via.split(' ')[0] ?? '') : '' };
}

/** `UDP: [10.0.0.5]:161->[10.0.0.1]:162`, `10.0.0.5`, `UDP/IPv6: [fe80::1]:161`, `ups-b [10.0.0.5]`. */
function addressIn(text: string): string {
  const bracketed = /\[([0-9a-f.:]+)(?:%\w+)?\]/i.exec(text)?.[1];
  const found = bracketed ?? /^[0-9.]+$|^[0-9a-f:]*:[0-9a-f:]+$/i.exec(text.trim())?.[0] ?? '';
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(found) || /:/.test(found) ? found : '';
}

function contentOf({ body }: TrapRecord): TrapContent | undefined {
  const values = new Map<string, SnmpValue>();
  const shown: Record<string, string> = Object.create(null);
  let trap = '';
  const starts = [...body.matchAll(VARBIND)];
  for (const [position, start] of starts.entries()) {
    const written = start.groups?.oid ?? '';
    const end = starts[position + 1]?.index ?? body.length;
    const text = body.slice(start.index + start[0].length, end).trim();
    const value = readWrittenValue(text);
    const oid = resolveOid(written);
    if (oid === TRAP_OID) trap = text.replace(/^OID: /, '');
    else if (oid !== UPTIME) shown[written] = text;
    if (oid !== undefined) values.set(oid, value);
  }
  const walk = new SnmpWalk(values);
  const uptime = walk.number(UPTIME);
  const enterprise = walk.text(TRAP_ENTERPRISE);
  if (trap !== '') return { oid: resolveOid(trap) ?? trap, written: trap, enterprise, uptime, values: walk, shown };
  // The text before the first value of a v1 trap.
  const front = starts[0] === undefined ? body : body.slice(0, starts[0].index);
  const match = V1_TRAP.exec(front);
  const v1 = match?.groups;
  if (!v1) return undefined;
  const written =
    v1.enterprise ?? /(\S{0,128}(?:enterprises|::|\d\.\d)\S{0,128})/.exec(front.slice(0, match.index))?.[1] ?? '';
  const sender = (resolveOid(written.replace(/[:,]$/, '')) ?? written) || vendorOf(walk);
  const number = GENERIC[v1.generic ?? ''];
  const oid = number === undefined ? `${sender}.0.${v1.specific}` : `${SNMP_TRAPS}.${number}`;
  return { oid, written: oid, enterprise: sender, uptime: uptimeTicks(v1.uptime ?? ''), values: walk, shown };
}

/** The enterprise, which syslog omits for v1 traps: the vendor of the trap's objects. */
const vendorOf = (values: SnmpWalk): string => {
  const [first] = values.below('1.3.6.1.4.1');
  return first ? `1.3.6.1.4.1.${first[0].split('.')[0]}` : '';
};

/** `1 day, 2:03:04.05` */
function uptimeTicks(text: string): number {
  const match = /^(?:(\d+) days?, )?(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text);
  if (!match) return Number.NaN;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 100);
}

const IF_INDEX = '1.3.6.1.2.1.2.2.1.1';
const IF_NAMES = ['1.3.6.1.2.1.31.1.1.1.1', '1.3.6.1.2.1.2.2.1.2'];

/** The outlet or port that the trap is about, else the device. */
function subject(
  builder: BatchBuilder,
  device: Device,
  meaning: TrapMeaning,
  values: SnmpWalk,
  memory: TrapMemory,
): number {
  const self = builder.entity(device.kind, device.id, device.aliases);
  const contains = (from: number, to: number, key: string): void => {
    if (memory.contained.has(key)) return;
    memory.contained.add(key);
    appendEdge(builder, { from, kind: 'contains', to, provenance: 'snmp trap' });
  };
  if (meaning.type === 'link_down' || meaning.type === 'link_up') {
    const name = IF_NAMES.map((column) => values.below(column)[0]?.[1].text.trim() ?? '').find((text) => text !== '');
    const number = values.below(IF_INDEX)[0]?.[1].text;
    if (name === undefined && number === undefined) return self;
    const id = `${device.id}/${name ?? `port-${number}`}`;
    const port = builder.entity('port', id);
    contains(self, port, `port:${id}`);
    return port;
  }
  return meaning.place ? enterPlace(builder, self, meaning.place, contains) : self;
}
