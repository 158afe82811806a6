import type { EntityKind } from '../../../model/entity.ts';
import type { SnmpValue } from '../../sources/snmp/snmp-value.ts';
import { SnmpWalk } from '../../sources/snmp/walk.ts';
import type { TrapContent, TrapMemory } from '../../sources/snmp-traps/append-trap.ts';
import { SNMP_TRAPS, TRAP_ADDRESS, TRAP_ENTERPRISE, TRAP_OID, UPTIME } from '../../sources/snmp-traps/format.ts';
import { snmpValueOf } from '../snmp/agent.ts';
import type { TrapPdu } from './receiver.ts';

/** A v1 trap outside the six of RFC 1215. */
const ENTERPRISE_SPECIFIC = 6;
const textOf = ({ kind, number, text }: SnmpValue): string =>
  text !== '' || kind === 'none' ? text : Number.isFinite(number) ? String(number) : '';

/** Content of a received trap for the decoder of trap logs; undefined if the trap has no type. */
export function contentOf(pdu: TrapPdu): TrapContent | undefined {
  const values = new Map<string, SnmpValue>();
  const shown: Record<string, string> = Object.create(null);
  for (const varbind of pdu.varbinds) {
    const value = snmpValueOf(varbind);
    values.set(varbind.oid, value);
    if (varbind.oid !== TRAP_OID && varbind.oid !== UPTIME) shown[varbind.oid] = textOf(value);
  }
  const walk = new SnmpWalk(values);
  const { enterprise = '', generic, specific, upTime } = pdu;
  if (generic === undefined) {
    const oid = walk.text(TRAP_OID);
    if (oid === '') return undefined;
    return {
      oid,
      written: oid,
      enterprise: walk.text(TRAP_ENTERPRISE),
      uptime: walk.number(UPTIME),
      values: walk,
      shown,
    };
  }
  // RFC 3584, section 3.1
  const oid = generic === ENTERPRISE_SPECIFIC ? `${enterprise}.0.${specific}` : `${SNMP_TRAPS}.${generic + 1}`;
  return { oid, written: oid, enterprise, uptime: upTime ?? Number.NaN, values: walk, shown };
}

/** Sender of a trap: the one that a proxy names, the agent of a v1 trap, else the datagram's address. */
export const senderOf = (pdu: TrapPdu, { values }: TrapContent, address: string): string =>
  [values.text(TRAP_ADDRESS), pdu.agentAddr ?? ''].find((one) => isAddress(one)) ?? address.replace(/^::ffff:/, '');

const isAddress = (text: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text !== '0.0.0.0';

/** Limits the memory: senders can invent addresses. */
const MOST_REMEMBERED = 100_000;
export const freshMemory = (): TrapMemory => ({ kinds: new Map<string, EntityKind>(), contained: new Set() });
export const isFull = ({ kinds, contained }: TrapMemory): boolean => kinds.size + contained.size > MOST_REMEMBERED;
