import { outletCodes } from '../outlet-codes.ts';
import { code, own, type Profile, reading, WATT_HOUR } from '../profile.ts';

/** PDU-MIB (PX, first generation), FORMATS 2.1.4: fixed units, milliamperes and millivolts. */
const B = '1.3.6.1.4.1.13742.4.1';

export const raritanPx1: Profile = {
  vendor: 'Raritan',
  mib: 'PDU-MIB',
  kind: 'pdu',
  objectIds: ['13742.4'],
  identity: { model: [`${B}.1.12`], serial: [`${B}.1.2`] },
  tables: [
    {
      at: `${B}.2.2.1`,
      index: ['outlet'],
      name: 2,
      objects: { outletLabel: '2' },
      columns: {
        3: code('outletOperationalState', { [-1]: 'error', 0: 'off', 1: 'on', 2: 'cycling' }, outletCodes.raritanPx1),
        4: reading('outletCurrent', 'hw.current', 0.001),
        5: own('outletMaxCurrent', 'A', 0.001),
        6: reading('outletVoltage', 'hw.voltage', 0.001),
        7: reading('outletActivePower', 'hw.power'),
        8: reading('outletApparentPower', 'hw.power.apparent'),
        9: reading('outletPowerFactor', 'hw.power.factor', 0.01),
        31: reading('outletWattHours', 'hw.energy', WATT_HOUR),
      },
    },
    {
      at: `${B}.3.1`,
      index: [],
      columns: {
        1: reading('unitCurrent', 'hw.current', 0.001),
        2: reading('unitVoltage', 'hw.voltage', 0.001),
        3: reading('unitActivePower', 'hw.power'),
        4: reading('unitApparentPower', 'hw.power.apparent'),
        5: reading('unitCpuTemp', 'hw.temperature', 0.1, { attributes: { sensor: 'controller' } }),
      },
    },
    {
      at: `${B}.20.2.1`,
      index: ['inlet'],
      columns: {
        7: reading('inletCurrent', 'hw.current', 0.001),
        8: reading('inletVoltage', 'hw.voltage', 0.001),
        9: reading('inletActivePower', 'hw.power'),
        10: reading('inletApparentPower', 'hw.power.apparent'),
      },
    },
    {
      at: `${B}.21.2.1`,
      index: ['line'],
      columns: {
        3: reading('lineCurrent', 'hw.current', 0.001),
        4: reading('lineVoltage', 'hw.voltage', 0.001),
      },
    },
  ],
};
