import { outletCodes } from '../outlet-codes.ts';
import {
  code,
  dynamic,
  KILOWATT_HOUR,
  type Limits,
  own,
  type Profile,
  type Reading,
  type Row,
  reading,
  type Table,
} from '../profile.ts';
import { upsMib } from './ups-mib.ts';

/** UPSController: the objects of RFC 1628, below its own OID. */
const RFC_1628 = '1.3.6.1.2.1.33.1';
const CONTROLLER = '1.3.6.1.4.1.13891.101';
/** HAWK-I2-MIB: PDUs and probes below one monitor, which Panduit sells too. */
const HAWK = '1.3.6.1.4.1.3711.24.1.1';
const PROBE_LIMITS = `${HAWK}.1.2.3.1.1`;
const PDU_LIMITS = `${HAWK}.7.3.2.1`;

const moved = (oid: string): string => oid.replace(RFC_1628, CONTROLLER);
const movedTable = (table: Table): Table => ({ ...table, at: moved(table.at) });

export const sineticaUps: Profile = {
  vendor: 'Sinetica',
  mib: 'UPS-MIB at 13891.101',
  kind: 'ups',
  objectIds: ['13891.101'],
  identity: { model: [`${CONTROLLER}.1.2`] },
  tables: upsMib.tables.map(movedTable),
};

const limitsAt = (at: string, first: number): Limits => ({
  upper_critical: { at: `${at}.${first}` },
  upper_warning: { at: `${at}.${first + 1}` },
  lower_warning: { at: `${at}.${first + 2}` },
  lower_critical: { at: `${at}.${first + 3}` },
});

/** The kind of input defines the quantity, a setting of the unit the temperature scale; all numbers are tenths. */
function probe(row: Row): Reading | undefined {
  const limits = limitsAt(PROBE_LIMITS, 3);
  const scaleFlag = row.walk.number(`${HAWK}.1.2.1.0`);
  const type = row.number(6);
  if (type === 2 && scaleFlag === 3) return own('ipTHAValue', 'K', 0.1, { limits });
  if (type === 2) return reading('ipTHAValue', 'hw.temperature', 0.1, { limits, fahrenheit: scaleFlag === 2 });
  if (type === 3) return reading('ipTHAValue', 'hw.humidity', 0.1, { limits });
  return type === 4 ? own('ipTHAValue', '1', 1, { limits, signed: true }) : undefined;
}

export const sineticaHawk: Profile = {
  vendor: 'Sinetica',
  mib: 'HAWK-I2-MIB',
  kind: 'device',
  objectIds: ['3711.24'],
  identity: { model: [`${HAWK}.99.8`], serial: [`${HAWK}.99.11`], name: [`${HAWK}.99.7`] },
  tables: [
    {
      at: `${HAWK}.1.2.2.1`,
      index: ['sensor'],
      name: 3,
      objects: { ipTHAName: '3', ipTHAType: '6' },
      columns: { 7: dynamic('ipTHAValue', probe) },
    },
    {
      at: `${HAWK}.1.3.1.1`,
      index: ['sensor'],
      name: 3,
      objects: { ipContName: '3' },
      columns: { 7: code('ipContCurrState', { 1: 'open', 2: 'closed', 3: 'armed', 4: 'triggered' }) },
    },
    {
      at: `${HAWK}.7.2.3.1`,
      index: ['*', 'outlet'],
      name: 4,
      objects: { pduOutName: '4' },
      columns: { 5: code('pduOutOn', { 1: 'on', 2: 'off', 3: 'reboot' }, outletCodes.sinetica) },
    },
    {
      at: `${HAWK}.7.3.1.1`,
      index: ['strip'],
      columns: {
        3: reading('pduRMSVoltsValue', 'hw.voltage', 1, { limits: limitsAt(PDU_LIMITS, 3) }),
        4: reading('pduRMSAmpsValue', 'hw.current', 0.1, { limits: limitsAt(PDU_LIMITS, 7) }),
        5: reading('pduTotalEnergyValue', 'hw.energy', KILOWATT_HOUR / 10),
        6: reading('pduMeanKVAValue', 'hw.power.apparent', 100, { limits: limitsAt(PDU_LIMITS, 13) }),
        7: reading('pduMeanKWattsValue', 'hw.power', 100, { limits: limitsAt(PDU_LIMITS, 17) }),
        8: reading('pduPwrFactorValue', 'hw.power.factor', 0.01),
      },
    },
  ],
};
