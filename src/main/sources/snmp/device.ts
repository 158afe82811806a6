import type { Alias, EntityKind } from '../../../model/entity.ts';
import { profiles, profilesIn } from './profiles.ts';
import type { Profile } from './read-profile.ts';
import type { SnmpWalk } from './walk.ts';

/** The device that answered a walk, as far as the walk identifies it. */
export interface Device {
  readonly kind: EntityKind;
  readonly id: string;
  /** Whether the id is the device's own name; else it is from the investigator or from the file name. */
  readonly named: boolean;
  readonly aliases: readonly Alias[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

const SYSTEM = '1.3.6.1.2.1.1';
const ENTERPRISES = '1.3.6.1.4.1.';
/** ipAdEntAddr and the columns beside it, all indexed by the address. */
const ADDRESSES = ['1.3.6.1.2.1.4.20.1.1', '1.3.6.1.2.1.4.20.1.2', '1.3.6.1.2.1.4.20.1.3'];

/** Factory defaults and placeholders for a missing name. */
const FACTORY_NAME =
  /^(<.*>|\(.*\)|localhost|unknown|uninitialized|unassigned|undefined|default|none|n\/?a|null|name|sysname|host(name)?|pdu|ups|apc|switch|router|device|server|system|epdu|rpdu|snmp agent|f{6,}|0{4,}|.)?$/i;
/** Whether a person set this name. */
export const isMeaningful = (name: string): boolean => !FACTORY_NAME.test(name);

/** First meaningful value at or below one of the OIDs. */
function firstText(walk: SnmpWalk, oids: readonly string[] = []): string {
  for (const oid of oids) {
    const found = [walk.text(oid), ...walk.below(oid).map(([, value]) => value.text.trim())].find(isMeaningful);
    if (found) return found;
  }
  return '';
}

const answers = (walk: SnmpWalk, { tables }: Profile): boolean =>
  tables.some(({ at, columns }) => walk.has(at) && Object.keys(columns).some((column) => walk.has(`${at}.${column}`)));

/** The kind of the longest sysObjectID prefix, if the walk has its tables; else the kind of the first tables. */
function kindOf(walk: SnmpWalk, known: readonly Profile[], answered: readonly Profile[]): EntityKind {
  const objectId = `${walk.text(`${SYSTEM}.2.0`).replace(/^\./, '')}.`;
  let best: { readonly length: number; readonly kind: EntityKind } | undefined;
  for (const { objectIds, kind } of known)
    for (const prefix of objectIds)
      if (objectId.startsWith(`${ENTERPRISES}${prefix}.`) && prefix.length > (best?.length ?? 0))
        best = { length: prefix.length, kind };
  const first = answered[0]?.kind;
  if (best && (first === undefined || answered.some(({ kind }) => kind === best.kind))) return best.kind;
  return first ?? 'device';
}

/** @param otherwise the device's name if it does not report one */
export function identifyDevice(walk: SnmpWalk, otherwise: string, known = profiles()): Device {
  const answered = profilesIn(walk, known).filter((profile) => answers(walk, profile));
  const kind = kindOf(walk, known, answered);
  const sysName = walk.text(`${SYSTEM}.5.0`);
  const named = isMeaningful(sysName);
  const aliases: Alias[] = named ? [{ kind: 'host_name', name: sysName }] : [];
  const own = answered.filter((profile) => profile.kind === kind);
  const identity = (part: 'model' | 'serial' | 'name') =>
    own.map((profile) => firstText(walk, profile.identity[part])).find((text) => text !== '');
  const serial = identity('serial');
  if (serial) aliases.push({ kind: 'asset_tag', name: serial });
  for (const name of addresses(walk)) aliases.push({ kind: 'ip_address', name });
  return {
    kind,
    id: named ? sysName : otherwise,
    named,
    aliases,
    attributes: {
      vendor: own.find(({ vendor }) => vendor !== '')?.vendor,
      model: identity('model'),
      name: identity('name'),
      description: walk.text(`${SYSTEM}.1.0`),
      location: walk.text(`${SYSTEM}.6.0`),
      sys_object_id: walk.text(`${SYSTEM}.2.0`).replace(/^\./, ''),
    },
  };
}

function addresses(walk: SnmpWalk): Set<string> {
  const found = new Set<string>();
  for (const column of ADDRESSES)
    for (const [address] of walk.below(column))
      if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address) && !/^(127|0)\./.test(address)) found.add(address);
  return found;
}
