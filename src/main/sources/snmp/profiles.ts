import { lazy } from '../../../base/lazy.ts';
import { fail } from '../../../model/problem.ts';
import apcAts from './profiles/apc-ats.yaml?raw';
import apcCooling from './profiles/apc-cooling.yaml?raw';
import apcEnvironment from './profiles/apc-environment.yaml?raw';
import apcFloorPdu from './profiles/apc-floor-pdu.yaml?raw';
import apcRackPdu from './profiles/apc-rack-pdu.yaml?raw';
import apcUps from './profiles/apc-ups.yaml?raw';
import aten from './profiles/aten.yaml?raw';
import cyberpowerPdu from './profiles/cyberpower-pdu.yaml?raw';
import cyberpowerUps from './profiles/cyberpower-ups.yaml?raw';
import dellCmc from './profiles/dell-cmc.yaml?raw';
import dellIdrac from './profiles/dell-idrac.yaml?raw';
import dellMx7000 from './profiles/dell-mx7000.yaml?raw';
import dellPdu from './profiles/dell-pdu.yaml?raw';
import dellUps from './profiles/dell-ups.yaml?raw';
import digipower from './profiles/digipower.yaml?raw';
import eatonEpdu from './profiles/eaton-epdu.yaml?raw';
import eatonMge from './profiles/eaton-mge.yaml?raw';
import eatonXups from './profiles/eaton-xups.yaml?raw';
import enlogic from './profiles/enlogic.yaml?raw';
import entitySensors from './profiles/entity-sensors.yaml?raw';
import geist from './profiles/geist.yaml?raw';
import gude from './profiles/gude.yaml?raw';
import gudePower from './profiles/gude-power.yaml?raw';
import hpeIlo from './profiles/hpe-ilo.yaml?raw';
import hpePdu from './profiles/hpe-pdu.yaml?raw';
import ipoman from './profiles/ipoman.yaml?raw';
import liebertEnvironment from './profiles/liebert-environment.yaml?raw';
import liebertPdu from './profiles/liebert-pdu.yaml?raw';
import panduit from './profiles/panduit.yaml?raw';
import powerOverEthernet from './profiles/power-over-ethernet.yaml?raw';
import powerwalkerUps from './profiles/powerwalker-ups.yaml?raw';
import raritan from './profiles/raritan.yaml?raw';
import raritanPx1 from './profiles/raritan-px1.yaml?raw';
import rittal from './profiles/rittal.yaml?raw';
import schleifenbauer from './profiles/schleifenbauer.yaml?raw';
import sentry3 from './profiles/sentry3.yaml?raw';
import sentry4 from './profiles/sentry4.yaml?raw';
import sineticaHawk from './profiles/sinetica-hawk.yaml?raw';
import sineticaUps from './profiles/sinetica-ups.yaml?raw';
import socomecUps from './profiles/socomec-ups.yaml?raw';
import supermicro from './profiles/supermicro.yaml?raw';
import trippLiteOld from './profiles/tripp-lite-old.yaml?raw';
import trippLitePdu from './profiles/tripp-lite-pdu.yaml?raw';
import trippLiteUps from './profiles/tripp-lite-ups.yaml?raw';
import upsMib from './profiles/ups-mib.yaml?raw';
import { type Profile, parseProfile, profileOf } from './read-profile.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * All supported MIBs. An OID means the same on every device, so all tables are tried on every walk; the order only
 * decides the kind of a device that does not identify itself and answers tables of several kinds.
 */
const files: Readonly<Record<string, string>> = {
  'apc-rack-pdu': apcRackPdu,
  'apc-floor-pdu': apcFloorPdu,
  'apc-ats': apcAts,
  'apc-ups': apcUps,
  'apc-cooling': apcCooling,
  raritan,
  'raritan-px1': raritanPx1,
  sentry3,
  sentry4,
  'eaton-epdu': eatonEpdu,
  geist,
  enlogic,
  panduit,
  'hpe-pdu': hpePdu,
  'dell-pdu': dellPdu,
  'cyberpower-pdu': cyberpowerPdu,
  'cyberpower-ups': cyberpowerUps,
  'liebert-pdu': liebertPdu,
  aten,
  'gude-power': gudePower,
  schleifenbauer,
  ipoman,
  digipower,
  'eaton-xups': eatonXups,
  'eaton-mge': eatonMge,
  'socomec-ups': socomecUps,
  'powerwalker-ups': powerwalkerUps,
  'dell-ups': dellUps,
  'tripp-lite-pdu': trippLitePdu,
  'tripp-lite-ups': trippLiteUps,
  'tripp-lite-old': trippLiteOld,
  'ups-mib': upsMib,
  'sinetica-ups': sineticaUps,
  'dell-cmc': dellCmc,
  'dell-mx7000': dellMx7000,
  'dell-idrac': dellIdrac,
  'hpe-ilo': hpeIlo,
  supermicro,
  'power-over-ethernet': powerOverEthernet,
  'entity-sensors': entitySensors,
  'liebert-environment': liebertEnvironment,
  'sinetica-hawk': sineticaHawk,
  gude,
  rittal,
  'apc-environment': apcEnvironment,
};

/** Parsed when SNMP is first read. */
export const profiles = lazy((): readonly Profile[] => readProfiles(files));

/** Profiles from YAML texts by name, in their order. */
export function readProfiles(texts: Readonly<Record<string, string>>): readonly Profile[] {
  const forms = new Map(Object.entries(texts).map(([name, text]) => [name, parseProfile(`${name}.yaml`, text)]));
  return [...forms.values()].map((form) => {
    const { tables_of } = form;
    if (tables_of === undefined) return profileOf(form, form.tables);
    const other = forms.get(tables_of) ?? fail('snmp.profile_invalid', `there is no profile ${tables_of}`);
    return profileOf(form, other.tables);
  });
}

/** Profiles whose tables a walk may have: it has values below one of their branches. */
export const profilesIn = (walk: SnmpWalk, known = profiles()): readonly Profile[] =>
  known.filter(({ branches }) => branches.some((branch) => walk.has(branch)));
