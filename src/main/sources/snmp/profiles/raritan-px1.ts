import { outletCodes } from '../outlet-codes.ts';
import {
  code,
  dynamic,
  type Limits,
  own,
  type Profile,
  type Reading,
  type Row,
  reading,
  WATT_HOUR,
} from '../profile.ts';

/** PDU-MIB (PX, first generation), FORMATS 2.1.4: fixed units, milliamperes and millivolts. */
const B = '1.3.6.1.4.1.13742.4.1';
const EXTERNAL = '1.3.6.1.4.1.13742.4.3.3.1';

/** StateOfSensorEnumeration; -1: not measured. */
const sensorStates = {
  [-1]: 'unavailable',
  0: 'open',
  1: 'closed',
  2: 'belowLowerCritical',
  3: 'belowLowerWarning',
  4: 'normal',
  5: 'aboveUpperWarning',
  6: 'aboveUpperCritical',
  7: 'on',
  8: 'off',
  9: 'detected',
  10: 'notDetected',
  11: 'alarmed',
};
const limits: Limits = { lower_critical: 31, lower_warning: 32, upper_critical: 33, upper_warning: 34 };

/** TypeOfSensorEnumeration; the decimal digits are in another column, and 15 is degrees Fahrenheit. */
function externalValue(row: Row): Reading | undefined {
  if (row.number(40) === -1) return undefined;
  const digits = row.number(17);
  const scale = 10 ** -(digits >= 0 && digits <= 9 ? digits : 0);
  const object = 'externalSensorValue';
  switch (row.number(2)) {
    case 10:
      return reading(object, 'hw.temperature', scale, { limits, fahrenheit: row.number(16) === 15 });
    case 11:
      return reading(object, 'hw.humidity', scale, { limits });
    case 12:
      return own(object, 'm/s', scale, { limits });
    case 13:
      return reading(object, 'hw.pressure', scale, { limits, signed: true });
    default:
      return undefined;
  }
}

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
      at: EXTERNAL,
      index: ['sensor'],
      name: 4,
      objects: {
        externalSensorType: '2',
        externalSensorName: '4',
        externalSensorUnits: '16',
        externalSensorDecimalDigits: '17',
      },
      columns: {
        40: code('externalSensorState', sensorStates, {
          metric: 'hw.sensor.state',
          map: { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 },
          same: true,
        }),
        41: dynamic('externalSensorValue', externalValue),
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
