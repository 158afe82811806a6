import type { Profile } from './profile.ts';
import { apcCooling } from './profiles/apc-cooling.ts';
import { apcEnvironment } from './profiles/apc-environment.ts';
import { apcFloorPdu } from './profiles/apc-floor-pdu.ts';
import { apcRackPdu } from './profiles/apc-rack-pdu.ts';
import { apcUps } from './profiles/apc-ups.ts';
import { cyberPowerPdu, cyberPowerUps } from './profiles/cyberpower.ts';
import { dellPdu } from './profiles/dell-pdu.ts';
import { eatonEpdu } from './profiles/eaton-epdu.ts';
import { eatonMge, eatonXups } from './profiles/eaton-ups.ts';
import { enlogic } from './profiles/enlogic.ts';
import { entitySensors } from './profiles/entity-sensors.ts';
import { geist } from './profiles/geist.ts';
import { hpePdu } from './profiles/hpe-pdu.ts';
import { liebertEnvironment, liebertPdu } from './profiles/liebert.ts';
import { dellIdrac, hpeIlo, supermicro } from './profiles/management-controllers.ts';
import { dellUps, powerWalkerUps, socomecUps } from './profiles/other-ups.ts';
import { panduit } from './profiles/panduit.ts';
import { powerOverEthernet } from './profiles/power-over-ethernet.ts';
import { raritan } from './profiles/raritan.ts';
import { raritanPx1 } from './profiles/raritan-px1.ts';
import { rittal } from './profiles/rittal.ts';
import { sentry3 } from './profiles/sentry3.ts';
import { sentry4 } from './profiles/sentry4.ts';
import { aten, digipower, gude, ipoman, schleifenbauer } from './profiles/small-pdus.ts';
import { trippLite } from './profiles/tripp-lite.ts';
import { upsMib } from './profiles/ups-mib.ts';

/**
 * Every MIB that is understood. An OID means the same on whatever device it is found, so all tables are tried on every
 * walk; the order only decides what a device is that names itself nowhere and answers tables of several kinds.
 */
export const profiles: readonly Profile[] = [
  apcRackPdu,
  apcFloorPdu,
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
  schleifenbauer,
  ipoman,
  digipower,
  eatonXups,
  eatonMge,
  socomecUps,
  powerWalkerUps,
  dellUps,
  trippLite,
  upsMib,
  dellIdrac,
  hpeIlo,
  supermicro,
  powerOverEthernet,
  entitySensors,
  liebertEnvironment,
  gude,
  rittal,
  apcEnvironment,
];
