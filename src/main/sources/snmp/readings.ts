import { lazy } from '../../../base/lazy.ts';
import { neighbourBranches } from './neighbours.ts';
import { physicalBranches } from './physical-parts.ts';
import { profiles, profilesIn } from './profiles.ts';
import type { SnmpWalk } from './walk.ts';

/** Branches with supported objects: `1.3.6.1.4.1.318`, `1.3.6.1.2.1.33`; the system group first. */
export const branches = lazy((): readonly string[] => [
  ...new Set([
    '1.3.6.1.2.1.1',
    // ipAddrTable: devices are known by their addresses.
    '1.3.6.1.2.1.4.20',
    ...physicalBranches,
    ...neighbourBranches,
    ...profiles().flatMap((profile) => profile.branches),
  ]),
]);

/** Tables whose rows appear and disappear, so that they are read whole: upsAlarmTable of RFC 1628. */
export const changingTables: readonly string[] = ['1.3.6.1.2.1.33.1.6.2'];

/** The changing values of a device's answers: sysUpTime and every column that a profile reads. */
export function readingsOf(walk: SnmpWalk): string[] {
  const found = new Set<string>(['1.3.6.1.2.1.1.3.0']);
  for (const { tables } of profilesIn(walk))
    for (const { at, columns } of tables)
      for (const key of Object.keys(columns))
        for (const [index] of walk.below(`${at}.${key}`)) found.add(`${at}.${key}.${index}`);
  return [...found];
}
