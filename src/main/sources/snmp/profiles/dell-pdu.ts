import { outletCodes } from '../outlet-codes.ts';
import { code, KILOWATT_HOUR, type Meaning, type Profile, reading } from '../profile.ts';

/** DellrPDU-MIB, FORMATS 2.1.8; names, load states and outlet states (1 on, 2 off) as the MIB has them. */
const B = '1.3.6.1.4.1.674.10903.200.2.200';

const load: Meaning = { metric: 'hw.load.state', map: { 1: 1, 2: 2, 3: 3, 4: 4 } };
const loadCodes = { 1: 'lowLoad', 2: 'normal', 3: 'nearOverload', 4: 'overload' };

export const dellPdu: Profile = {
  vendor: 'Dell',
  mib: 'DellrPDU-MIB',
  kind: 'pdu',
  objectIds: ['674.10903.200'],
  identity: { model: [`${B}.100.2.1.7`], serial: [`${B}.100.2.1.8`], name: [`${B}.100.2.1.2`] },
  tables: [
    {
      at: `${B}.110.2.1`,
      index: ['unit'],
      columns: {
        3: reading('rPDUDeviceStatusPower', 'hw.power', 10),
        6: code('rPDUDeviceStatusLoadState', loadCodes, load),
      },
    },
    {
      at: `${B}.120.2.1`,
      index: ['phase'],
      columns: {
        4: reading('rPDUPhaseStatusCurrent', 'hw.current', 0.1),
        5: reading('rPDUPhaseStatusVoltage', 'hw.voltage'),
        6: reading('rPDUPhaseStatusPower', 'hw.power', 10),
      },
    },
    {
      at: `${B}.130.1.2.1`,
      index: ['outlet'],
      name: 3,
      objects: { rPDUOutletSwitchedStatusName: '3' },
      columns: { 4: code('rPDUOutletSwitchedStatusState', { 1: 'on', 2: 'off', 3: 'unknown' }, outletCodes.dell) },
    },
    {
      at: `${B}.130.2.2.1`,
      index: ['outlet'],
      name: 3,
      objects: { rPDUOutletMeteredStatusName: '3' },
      columns: {
        // Whole amperes, unlike the phases.
        6: reading('rPDUOutletMeteredStatusCurrent', 'hw.current'),
        7: reading('rPDUOutletMeteredStatusEnergy', 'hw.energy', KILOWATT_HOUR),
        8: reading('rPDUOutletMeteredStatusPower', 'hw.power'),
      },
    },
  ],
};
