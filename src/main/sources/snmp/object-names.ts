import { lazy } from '../../../base/lazy.ts';
import { sensorType } from './decoders.ts';
import { neighbourNames } from './neighbours.ts';
import { physicalNames } from './physical-parts.ts';
import { profiles } from './profiles.ts';

/** Names below which walks write numbers: `enterprises.318.1.3`, and single objects of every agent. */
const wellKnown: Readonly<Record<string, string>> = {
  iso: '1',
  org: '1.3',
  dod: '1.3.6',
  internet: '1.3.6.1',
  mgmt: '1.3.6.1.2',
  'mib-2': '1.3.6.1.2.1',
  system: '1.3.6.1.2.1.1',
  private: '1.3.6.1.4',
  enterprises: '1.3.6.1.4.1',
  snmpV2: '1.3.6.1.6',
  snmpModules: '1.3.6.1.6.3',
  sysDescr: '1.3.6.1.2.1.1.1',
  sysObjectID: '1.3.6.1.2.1.1.2',
  sysUpTime: '1.3.6.1.2.1.1.3',
  sysUpTimeInstance: '1.3.6.1.2.1.1.3.0',
  sysContact: '1.3.6.1.2.1.1.4',
  sysName: '1.3.6.1.2.1.1.5',
  sysLocation: '1.3.6.1.2.1.1.6',
  ipAdEntAddr: '1.3.6.1.2.1.4.20.1.1',
  ipAdEntIfIndex: '1.3.6.1.2.1.4.20.1.2',
  snmpTrapOID: '1.3.6.1.6.3.1.1.4.1',
  snmpTrapEnterprise: '1.3.6.1.6.3.1.1.4.3',
  snmpTraps: '1.3.6.1.6.3.1.1.5',
  snmpTrapAddress: '1.3.6.1.6.3.18.1.3',
  coldStart: '1.3.6.1.6.3.1.1.5.1',
  warmStart: '1.3.6.1.6.3.1.1.5.2',
  linkDown: '1.3.6.1.6.3.1.1.5.3',
  linkUp: '1.3.6.1.6.3.1.1.5.4',
  authenticationFailure: '1.3.6.1.6.3.1.1.5.5',
  pethNotifications: '1.3.6.1.2.1.105.0',
  ifIndex: '1.3.6.1.2.1.2.2.1.1',
  ifDescr: '1.3.6.1.2.1.2.2.1.2',
  ifName: '1.3.6.1.2.1.31.1.1.1.1',
  ...neighbourNames,
  ...physicalNames,
  mtrapargsString: '1.3.6.1.4.1.318.2.3.3',
  upsTraps: '1.3.6.1.2.1.33.2',
  upsWellKnownAlarms: '1.3.6.1.2.1.33.1.6.3',
  apc: '1.3.6.1.4.1.318',
};

/** `MIB::object` and `object`; of a name that several MIBs use the standard's (below mib-2) counts, else the first. */
const names = lazy((): ReadonlyMap<string, string> => {
  const map = new Map(Object.entries(wellKnown));
  for (const { tables } of profiles()) {
    for (const { at, columns, mib, objects = {} } of tables) {
      const named = Object.entries(columns).map(([key, { object }]) => [object, key] as const);
      for (const [object, key] of [...named, ...Object.entries(objects)]) {
        const oid = `${at}.${key}`;
        map.set(`${mib}::${object}`, oid);
        const known = map.get(object);
        if (known === undefined || (!known.startsWith('1.3.6.1.2.1.') && oid.startsWith('1.3.6.1.2.1.')))
          map.set(object, oid);
      }
    }
  }
  return map;
});

const NUMERIC = /^\.?\d{1,10}(\.\d{1,10})*$/;

/**
 * The numeric OID, without leading dot, of any way to write one: `.1.3.6.1.2.1.33.1.2.1.0`, `iso.3.6.1`,
 * `UPS-MIB::upsBatteryStatus.0`, `enterprises.318.1`, `.iso.org.dod.internet.mgmt.mib-2.system.sysDescr.0`.
 * Undefined for a name that is in no known MIB.
 */
export function resolveOid(written: string): string | undefined {
  if (NUMERIC.test(written)) return written.replace(/^\./, '');
  const [, module = '', path = ''] = /^(?:([A-Za-z][\w-]*)::)?\.?(.+)$/.exec(written) ?? [];
  const parts = path.split('.');
  const ending = parts.findLastIndex((part) => /^[A-Za-z]/.test(part));
  // PDU2-MIB: the type of a sensor is the last part of the index, and is written by its label.
  const type = ending > 0 ? sensorType(parts[ending]!) : undefined;
  const last = type === undefined ? ending : parts.findLastIndex((part, at) => at < ending && /^[A-Za-z]/.test(part));
  const object = parts[last];
  if (object === undefined) return undefined;
  const rest = parts
    .slice(last + 1)
    .map((part, at) => (type !== undefined && last + 1 + at === ending ? String(type) : part));
  if (rest.some((part) => !/^\d{1,10}$/.test(part))) return undefined;
  const base = names().get(`${module}::${object}`) ?? names().get(object);
  return base === undefined ? undefined : [base, ...rest].join('.');
}
