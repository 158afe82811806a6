import type { Profile } from './profile.ts';
import { apcAts } from './profiles/apc-ats.ts';
import { apcCooling } from './profiles/apc-cooling.ts';
import { apcEnvironment } from './profiles/apc-environment.ts';
import { apcFloorPdu } from './profiles/apc-floor-pdu.ts';
import { apcRackPdu } from './profiles/apc-rack-pdu.ts';
import { apcUps } from './profiles/apc-ups.ts';
import { cyberPowerPdu, cyberPowerUps } from './profiles/cyberpower.ts';
import { dellCmc, dellManagementModule } from './profiles/dell-chassis.ts';
import { dellPdu } from './profiles/dell-pdu.ts';
import { eatonEpdu } from './profiles/eaton-epdu.ts';
import { eatonMge, eatonXups } from './profiles/eaton-ups.ts';
import { enlogic } from './profiles/enlogic.ts';
import { entitySensors } from './profiles/entity-sensors.ts';
import { geist } from './profiles/geist.ts';
import { gude, gudePower } from './profiles/gude.ts';
import { hpePdu } from './profiles/hpe-pdu.ts';
import { liebertEnvironment, liebertPdu } from './profiles/liebert.ts';
import { dellIdrac, hpeIlo, supermicro } from './profiles/management-controllers.ts';
import { dellUps, powerWalkerUps, socomecUps } from './profiles/other-ups.ts';
import { panduit } from './profiles/panduit.ts';
import { powerOverEthernet } from './profiles/power-over-ethernet.ts';
import { raritan } from './profiles/raritan.ts';
import { raritanPx1 } from './profiles/raritan-px1.ts';
import { rittal } from './profiles/rittal.ts';
import { schleifenbauer } from './profiles/schleifenbauer.ts';
import { sentry3 } from './profiles/sentry3.ts';
import { sentry4 } from './profiles/sentry4.ts';
import { sineticaHawk, sineticaUps } from './profiles/sinetica.ts';
import { aten, digipower, ipoman } from './profiles/small-pdus.ts';
import { trippLite, trippLiteOld, trippLitePdu } from './profiles/tripp-lite.ts';
import { upsMib } from './profiles/ups-mib.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * All supported MIBs. An OID means the same on every device, so all tables are tried on every walk; the order only
 * decides the kind of a device that does not identify itself and answers tables of several kinds.
 */
export const profiles: readonly Profile[] = [
  apcRackPdu,
  apcFloorPdu,
  apcAts,
  apcUps,
  apcCooling,
  raritan,
  raritanPx1,
  sentry3,
  sentry4,
  eatonEpdu,
  geist,
  enlogic,
  panduit,
  hpePdu,
  dellPdu,
  cyberPowerPdu,
  cyberPowerUps,
  liebertPdu,
  aten,
  gudePower,
  schleifenbauer,
  ipoman,
  digipower,
  eatonXups,
  eatonMge,
  socomecUps,
  powerWalkerUps,
  dellUps,
  trippLitePdu,
  trippLite,
  trippLiteOld,
  upsMib,
  sineticaUps,
  dellCmc,
  dellManagementModule,
  dellIdrac,
  hpeIlo,
  supermicro,
  powerOverEthernet,
  entitySensors,
  liebertEnvironment,
  sineticaHawk,
  gude,
  rittal,
  apcEnvironment,
];

/** The first seven arcs: `1.3.6.1.4.1.318`, `1.3.6.1.2.1.33`. */
export const branchOf = (oid: string): string => oid.split('.').slice(0, 7).join('.');

const branched = profiles.map((profile) => ({
  profile,
  branches: [...new Set(profile.tables.map(({ at }) => branchOf(at)))],
}));

/** Profiles whose tables a walk may have: it has values below one of their branches. */
export const profilesIn = (walk: SnmpWalk): readonly Profile[] =>
  branched.filter(({ branches }) => branches.some((branch) => walk.has(branch))).map(({ profile }) => profile);
